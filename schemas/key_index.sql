-- Where the URL keys of months that are over are: one row per row of `url_keys`
-- that is the first page of its key. It is made from `url_keys`, by month whatever
-- `output.partition` is, and may be deleted at any time.
CREATE TABLE key_index (
  date DATE NOT NULL,       -- UTC day of fetched_at: where url_keys has the page
  domain VARCHAR NOT NULL,  -- public suffix and one label
  key_hash VARCHAR NOT NULL -- first 16 digits of the MD5 of the URL key
);
