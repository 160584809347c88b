//! End-to-end tests: a test writes an archive as Parquet files, runs the binary
//! `urltree`, and reads its tables with `urltree sql`.
//!
//! [`support`] invents the archives. `law` and `streams` also use
//! real sites, which are not in the repository: tests that need them print `SKIPPED`
//! and pass if the sites are missing.
//!
//! Archives:
//! - `archives`: layouts, column names and file names of archives
//! - `hostile`: single bad rows and pages
//! - `import`: WARC files become archives
//! - `import_stores`: WARC files in object stores and on web servers, and records of a gigabyte
//! - `feed_to_text`: a site with feeds over several days and nights
//! - `fetch`: feeds become archives
//! - `fetch_failures`: hostile servers, and fetches that are killed
//! - `fetch_history`: real feeds, version by version, as polls
//! - `fetch_store`: feeds into an object store
//! - `fetch_vectors`: requests and pages beside those of the authors
//! - `objects`: damaged files, unusual files, files with wrong columns
//! - `paper`: the job file of the published method
//! - `poison`: pages made to be expensive or to break the parser
//! - `sample`: the archive that `urltree-sample` writes
//! - `untrusted`: archive values that look like paths or SQL
//!
//! Tables:
//! - `jobs`: job file, printed output, plan, and contents of the tables
//! - `keys`: URL keys, titles, domains and duplicates
//! - `language_model`: languages by a model of the user
//! - `learn`: parameters of URLs that no rule knows
//! - `law`: one run, consecutive runs and chunks give the same tables
//! - `site_text`: a site in memory gives the texts of the tables
//! - `site_tables`: links, and what a site repeats
//! - `streams`: seventeen real sites under several settings
//! - `opt_out`: what pages forbid, and columns of the archive that are passed through
//! - `frozen`: tables of earlier versions
//! - `plain_folders`: tables as folders of Parquet files, without the Delta log
//! - `elsewhere`: DuckDB and Python's `deltalake` read the tables
//!
//! Commands:
//! - `first_minute`: `urltree run`, `urltree extract`, `urltree init`
//! - `manners`: reports, status, help, failures, exit codes
//! - `queries`: `urltree sql`
//! - `explain`: `urltree explain`
//! - `paths`: marks of DOM paths
//! - `export`: `urltree export`, and other readers of its files
//! - `refusals`: wrong settings, refused before the run starts
//! - `update`: `urltree update` on an archive that grows
//! - `vacuum`: `urltree vacuum`
//! - `python`: the wheel, its types and its documentation
//! - `browser`: pages of `urltree report`, `urltree explain` and `urltree serve` in a browser
//! - `report`: `urltree report`
//! - `serve`: `urltree serve`
//! - `serve_refusals`: requests that `urltree serve` refuses, and hostile pages in it
//! - `rules`: `urltree rules`
//!
//! Failures and limits:
//! - `chaos`: runs that are killed
//! - `claims`: two runs on the same tables
//! - `cluster`: runs on worker processes
//! - `faults`: object stores that fail
//! - `storage`: S3 and HTTP, and credentials
//! - `disk`: the disk to which runs spill
//! - `memory`: peak memory under `run.memory_limit`
//! - `requests`: number of store requests of a command
//! - `stall`: runs in which nothing moves
//! - `soak`: peak memory over a long run
//!
//! The project:
//! - `dependencies`: which crate may depend on which
//! - `modules`: no circle of imports between the files of a crate

mod archives;
mod boundaries;
mod browser;
mod by_site;
mod chaos;
mod claims;
mod cluster;
mod dependencies;
mod disk;
mod docs;
mod elsewhere;
mod explain;
mod export;
mod faults;
mod feed_to_text;
mod fetch;
mod fetch_failures;
mod fetch_history;
mod fetch_store;
mod fetch_vectors;
mod first_minute;
mod frozen;
mod hostile;
mod identity;
mod import;
mod import_index;
mod import_pages;
mod import_stores;
mod jobs;
mod keys;
mod language_model;
mod law;
mod learn;
mod manners;
mod markdown;
mod memory;
mod metadata;
mod modules;
mod near_duplicates;
mod objects;
mod opt_out;
mod paper;
mod paths;
mod plain_folders;
mod poison;
mod python;
mod queries;
mod refusals;
mod report;
mod requests;
mod rules;
mod sample;
mod serve;
mod serve_refusals;
mod signals;
mod site_tables;
mod site_text;
mod soak;
mod stall;
mod storage;
mod streams;
mod support;
mod units;
mod untrusted;
mod update;
mod vacuum;
mod warc_archive;
