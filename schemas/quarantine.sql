-- One row per archive row that could not be processed, and one per archive
-- object that could not be opened at all (row is null then).
CREATE EXTERNAL TABLE quarantine (
  date DATE NOT NULL COMMENT 'UTC day of fetched_at; where that is unknown, the day of the object or of the run',
  domain STRING COMMENT 'public suffix and one label, where the URL could be read',
  fetched_at TIMESTAMP WITH TIME ZONE COMMENT 'when the page was fetched, UTC',
  source STRING NOT NULL COMMENT 'object in the archive, relative to its location',
  row_group INT COMMENT 'row group in the object, from 0',
  row BIGINT COMMENT 'row in the object, from 0',
  url STRING COMMENT 'URL as it stands in the archive',
  reason STRING NOT NULL COMMENT 'stable code of the reason',
  detail STRING NOT NULL COMMENT 'the reason in words',
  bytes BIGINT COMMENT 'bytes of HTML of the row, or of the object, where known'
) STORED AS DELTATABLE LOCATION 'quarantine';
