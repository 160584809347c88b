-- One row per run and date: what was asked for, and what became of every row.
-- archive_rows = unique_pages + duplicates + revisions + blacklisted + quarantined.
CREATE EXTERNAL TABLE runs (
  date DATE NOT NULL COMMENT 'UTC day the counts are for',
  run_id STRING NOT NULL COMMENT 'names the run',
  settings STRING NOT NULL COMMENT 'MD5 of every setting that can change the output',
  version STRING NOT NULL COMMENT 'version of urltree',
  objects BIGINT NOT NULL COMMENT 'archive objects with rows of this date',
  archive_rows BIGINT NOT NULL COMMENT 'rows of the archive for this date',
  unique_pages BIGINT NOT NULL COMMENT 'rows that are the first of their URL key',
  duplicates BIGINT NOT NULL COMMENT 'rows with the URL key of an earlier one',
  revisions BIGINT NOT NULL COMMENT 'duplicates that brought unseen text',
  blacklisted BIGINT NOT NULL COMMENT 'rows with a blacklisted URL',
  quarantined BIGINT NOT NULL COMMENT 'rows that could not be processed',
  unreadable_objects BIGINT NOT NULL COMMENT 'objects that could not be opened; their rows are in no other count',
  html_bytes BIGINT NOT NULL COMMENT 'bytes of HTML read',
  text_bytes BIGINT NOT NULL COMMENT 'bytes of text written to documents',
  started_at TIMESTAMP WITH TIME ZONE NOT NULL COMMENT 'when the run began, UTC',
  seconds DOUBLE NOT NULL COMMENT 'wall-clock seconds of the chunk the date was processed in'
) STORED AS DELTATABLE LOCATION 'runs';
