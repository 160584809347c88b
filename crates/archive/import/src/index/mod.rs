//! Imports chosen records of a crawl by an index of it.
//!
//! [`plan_index`] reads indexes and plans requests for ranges of WARC files. [`import_index`] sends them, checks each record
//! against the index, and writes the pages as an import of the whole files does. An object has the pages of one date and of
//! records that were committed together, which may be of many files: `warc_file` names the file of each row, and
//! `warc_offset` its place.
//!
//! Answers are taken in the order of the plan. Memory holds the answers of the requests at a time, and HTML waits in a temporary
//! file.

mod answer;
mod bases;
mod blocks;
mod chooser;
mod clock;
mod columns;
mod commit;
mod hosts;
mod inputs;
mod options;
mod planned;
mod pointers;
mod records;
mod report;
mod server;
mod state;
mod text;

pub use chooser::Unreadable;
pub use commit::import_index;
pub use options::IndexOptions;
pub use planned::{IndexPlan, plan_index};
pub use report::IndexReport;
