-- One row per date with rows in the archive: the run that wrote it, and the row accounting.
-- archive_rows = unique_pages + duplicates + revisions + blocklisted + quarantined.
CREATE TABLE runs (
  date DATE NOT NULL,                           -- UTC day the counts are for
  run_id VARCHAR NOT NULL,                      -- identifies the run
  request_digest VARCHAR NOT NULL,              -- MD5 of the request: dates, settings, version, archive objects
  settings_digest VARCHAR NOT NULL,             -- settings that decide rows: version of the list, and MD5; of marked DOM paths, + and MD5
  version VARCHAR NOT NULL,                     -- version of urltree
  objects BIGINT NOT NULL,                      -- archive objects with rows of this date
  archive_rows BIGINT NOT NULL,                 -- rows of the archive for this date
  unique_pages BIGINT NOT NULL,                 -- rows that are the first of their URL key
  duplicates BIGINT NOT NULL,                   -- rows with the URL key of an earlier one
  revisions BIGINT NOT NULL,                    -- duplicates that brought unseen text
  blocklisted BIGINT NOT NULL,                  -- rows with a blocklisted URL
  quarantined BIGINT NOT NULL,                  -- rows that could not be processed
  unreadable_objects BIGINT NOT NULL,           -- objects that could not be opened; no other count has their rows
  html_bytes BIGINT NOT NULL,                   -- bytes of HTML read
  text_bytes BIGINT NOT NULL,                   -- bytes of text written to documents
  started_at TIMESTAMP WITH TIME ZONE NOT NULL, -- when the run began, UTC
  seconds DOUBLE NOT NULL,                      -- wall-clock seconds of the chunk the date was processed in
  peak_memory_bytes BIGINT,                     -- most memory of the process up to the end of this chunk
  spilled_bytes BIGINT                          -- bytes that this chunk spilled to disk
);
