-- Window entries of all domains at the end of the last closed month. A run derives the
-- table from `window_entries`, which has the same rows by date. It is partitioned by
-- month, whatever `output.partition` is, and may be deleted at any time.
CREATE TABLE windows (
  date DATE NOT NULL,                           -- last day of the month
  domain VARCHAR NOT NULL,                      -- public suffix and one label
  fetched_at TIMESTAMP WITH TIME ZONE NOT NULL, -- when the page was fetched, UTC
  url_key VARCHAR NOT NULL,                     -- the page
  ordinal BIGINT NOT NULL,                      -- position in the stream of the domain, from 0
  entry VARCHAR NOT NULL,                       -- document, or revision: counts blocks but no page
  branch VARCHAR[] NOT NULL,                    -- path in the URL Tree from the root: host labels reversed, then path segments
  hashes BYTEA NOT NULL,                        -- distinct block hashes in order of first appearance, 16 bytes each
  template BYTEA                                -- what the page adds to its site's template: DOM paths with sums, packed
);
