-- One row per unique page, and per revision if dedup.revisions is on: the text, and the
-- counts of the URL Tree at the time of labelling.
CREATE TABLE documents (
  date DATE NOT NULL,                           -- UTC day of fetched_at
  domain VARCHAR NOT NULL,                      -- public suffix and one label
  fetched_at TIMESTAMP WITH TIME ZONE NOT NULL, -- when the page was fetched, UTC
  url VARCHAR NOT NULL,                         -- response URL
  url_key VARCHAR NOT NULL,                     -- normalised URL that identifies the page
  surt VARCHAR,                                 -- SURT of url, its key in CDX files and in the indexes of Common Crawl: com,example)/trees; this and surt_host if output.write has surt
  surt_host VARCHAR,                            -- host of surt: com,example
  status VARCHAR NOT NULL,                      -- unique, or revision: a later version of a page that brought unseen text
  title VARCHAR,                                -- the <title> of the page, else the title in the archive
  page_kind VARCHAR,                            -- what the page is likely: article, collection, documentation, forum, listing, product or service; null unless output.write has page_kind
  page_kind_score DOUBLE,                       -- how likely that is, 0 to 1
  text VARCHAR NOT NULL,                        -- content blocks, one per line; code has lines of its own
  markdown VARCHAR,                             -- content blocks as Markdown, if output.write has markdown
  language VARCHAR,                             -- language of text: ISO 639-1, or 639-3 without two letters, if output.write has language and the text is long enough
  language_score DOUBLE,                        -- how sure that is, 0 to 1; above .9 it is reliable
  language_label VARCHAR,                       -- the same language as ISO 639-3, _ and ISO 15924, with the script of the letters: eng_Latn
  published_at TIMESTAMP WITH TIME ZONE,        -- when the text was published, as the page says; this and all below until html_lang if output.write has metadata
  published_at_source VARCHAR,                  -- where it was found: json_ld, open_graph, meta, link, microdata, time, url, class or text
  modified_at TIMESTAMP WITH TIME ZONE,         -- when the text was last changed, as the page says
  modified_at_source VARCHAR,                   -- where it was found
  author VARCHAR,                               -- names of the authors, separated by a comma and a space
  author_source VARCHAR,                        -- where it was found
  site_name VARCHAR,                            -- name of the site or of the publisher
  site_name_source VARCHAR,                     -- where it was found
  description VARCHAR,                          -- summary of the page
  description_source VARCHAR,                   -- where it was found
  canonical_url VARCHAR,                        -- URL that the page gives itself
  canonical_url_source VARCHAR,                 -- where it was found
  image VARCHAR,                                -- URL of the picture of the page
  image_source VARCHAR,                         -- where it was found
  licence VARCHAR,                              -- licence that the page links to, in the form of SPDX: CC-BY-SA-4.0, MIT
  licence_source VARCHAR,                       -- where it was found: json_ld, link (rel="license"), microdata, meta, or anchor, another link
  html_lang VARCHAR,                            -- language that the page declares
  words INT,                                    -- words of text; this and all below until duplicate_ngrams if output.write has signals
  stop_words INT,                               -- how many of eight English words it has: the, be, to, of, and, that, have, with
  mean_word_length DOUBLE,                      -- characters per word
  hashes_per_token DOUBLE,                      -- # per token: a word or a sign
  ellipses_per_token DOUBLE,                    -- ... and … per token
  tokens_with_letters DOUBLE,                   -- share of tokens with a letter
  digits DOUBLE,                                -- share of characters that are digits
  bullet_lines DOUBLE,                          -- share of lines that begin with - or •
  ellipsis_lines DOUBLE,                        -- share of lines that end with an ellipsis
  ended_lines DOUBLE,                           -- share of lines that end as sentences do
  short_lines DOUBLE,                           -- share of lines of at most 30 characters
  duplicate_lines DOUBLE,                       -- share of lines that repeat an earlier one
  duplicate_line_chars DOUBLE,                  -- share of characters in such lines
  breaks_per_token DOUBLE,                      -- line breaks per token
  top_ngrams DOUBLE[],                          -- share of characters in the most frequent 2, 3, 4 tokens in a row
  duplicate_ngrams DOUBLE[],                    -- share of characters in 5 to 10 tokens in a row that were there before
  document_id VARCHAR,                          -- equal in all runs: a digest of url_key, url and fetched_at; changes with the URL key, and if another fetch becomes the document
  content_digest VARCHAR,                       -- SHA-256 of text, in hexadecimal digits
  minhash BYTEA,                                -- signature of text, if output.write has minhash and text has five words: 14 bands of 8 values of 4 bytes, little endian
  opt_out VARCHAR[],                            -- what robots directives and TDM-Reservation forbid, such as noindex, noai or gptbot: noai; empty if nothing, null unless output.write has opt_out
  archive VARCHAR,                              -- the columns of the archive in output.archive_columns, as an object of JSON
  blocks INT NOT NULL,                          -- text blocks of the page
  content_blocks INT NOT NULL,                  -- text blocks labelled content
  content_chars BIGINT NOT NULL,                -- characters in content blocks
  boilerplate_chars BIGINT NOT NULL,            -- characters in boilerplate blocks
  support INT NOT NULL,                         -- pages counted at the node that decided
  node VARCHAR NOT NULL,                        -- URL Tree node whose counts decided: a host and a path below it
  heuristic VARCHAR NOT NULL,                   -- the labelling heuristic
  charset VARCHAR NOT NULL,                     -- WHATWG name of the encoding the bytes were decoded from
  charset_source VARCHAR NOT NULL,              -- source of the encoding: bom, http, meta, utf8 or detected
  warnings VARCHAR[] NOT NULL                   -- limits that cut the page, and doubts about it; empty for a clean page
);
