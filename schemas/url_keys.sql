-- One row per archive row that has a URL key: which page it is, and whether it
-- was the first of its key.
CREATE EXTERNAL TABLE url_keys (
  date DATE NOT NULL COMMENT 'UTC day of fetched_at',
  domain STRING NOT NULL COMMENT 'public suffix and one label',
  fetched_at TIMESTAMP WITH TIME ZONE NOT NULL COMMENT 'when the page was fetched, UTC',
  url STRING NOT NULL COMMENT 'response URL',
  request_url STRING COMMENT 'URL that was asked for, where the archive knows it',
  url_from_request BOOLEAN NOT NULL COMMENT 'true where no response URL is known and the request URL stands in for it',
  url_key STRING NOT NULL COMMENT 'the normalised URL that names the page',
  content_id STRING COMMENT 'MD5 of the normalised title, where a title is known',
  rule STRING COMMENT 'the URL rule that kept parameters, none where the query was dropped',
  status STRING NOT NULL COMMENT 'unique, duplicate, revision, blacklisted, or quarantined (then also a row of quarantine)',
  merged_by STRING COMMENT 'the step that found the duplicate: identical_url, redirect, encoding, dropped_query or rule',
  duplicate_of STRING COMMENT 'source#row of the page this row duplicates',
  source STRING NOT NULL COMMENT 'object in the archive, relative to its location',
  row BIGINT NOT NULL COMMENT 'row in the object, from 0'
) STORED AS DELTATABLE LOCATION 'url_keys';
