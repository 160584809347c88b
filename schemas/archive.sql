-- The input: one row per fetched page. Files may be laid out in any way; other
-- column names are mapped in the job spec under [archive.columns].
CREATE EXTERNAL TABLE archive (
  fetched_at TIMESTAMP WITH TIME ZONE NOT NULL COMMENT 'when the page was fetched, UTC',
  url STRING NOT NULL COMMENT 'response URL, after redirects',
  html BINARY NOT NULL COMMENT 'the bytes of the page as fetched',
  request_url STRING COMMENT 'URL that was asked for, before redirects; used as url where url is null',
  title STRING COMMENT 'title of the feed item that led to the page',
  content_type STRING COMMENT 'Content-Type header of the response, its charset parameter included',
  http_charset STRING COMMENT 'charset of the Content-Type header, where it is kept apart',
  http_status INT COMMENT 'status code of the response; pages outside 200..299 are quarantined'
) STORED AS PARQUET LOCATION 'archive';
