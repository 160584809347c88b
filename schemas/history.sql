-- What the next run needs to rebuild the URL Trees: one row per page (and per
-- revision with unseen text) that was inserted into a tree.
CREATE EXTERNAL TABLE history (
  date DATE NOT NULL COMMENT 'UTC day of fetched_at',
  domain STRING NOT NULL COMMENT 'public suffix and one label',
  fetched_at TIMESTAMP WITH TIME ZONE NOT NULL COMMENT 'when the page was fetched, UTC',
  url_key STRING NOT NULL COMMENT 'the page',
  ordinal BIGINT NOT NULL COMMENT 'position in the stream of the domain, from 0',
  entry STRING NOT NULL COMMENT 'document, or revision: counts blocks but no page',
  branch ARRAY<STRING> NOT NULL COMMENT 'path in the URL Tree from the root: host labels reversed, then path segments',
  hashes BINARY NOT NULL COMMENT 'distinct block hashes in order of first appearance, 16 bytes each'
) STORED AS DELTATABLE LOCATION 'history';
