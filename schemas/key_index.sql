-- Dates on which each URL key of a closed month occurs: one row per row of `url_keys`
-- that is the first page of its key. A run derives the table from `url_keys`. It is
-- partitioned by month, whatever `output.partition` is, and may be deleted at any time.
CREATE TABLE key_index (
  date DATE NOT NULL,       -- UTC day of fetched_at: the date of the page in url_keys
  domain VARCHAR NOT NULL,  -- public suffix and one label
  key_hash BIGINT NOT NULL  -- first 64 bits of the MD5 of the URL key
);
