-- The state that the next run rebuilds the URL Trees from: one row per page that was
-- inserted into a tree, and per revision with unseen text.
CREATE TABLE window_entries (
  date DATE NOT NULL,                           -- UTC day of fetched_at
  domain VARCHAR NOT NULL,                      -- public suffix and one label
  fetched_at TIMESTAMP WITH TIME ZONE NOT NULL, -- when the page was fetched, UTC
  url_key VARCHAR NOT NULL,                     -- the page
  ordinal BIGINT NOT NULL,                      -- position in the stream of the domain, from 0
  entry VARCHAR NOT NULL,                       -- document, or revision: counts blocks but no page
  branch VARCHAR[] NOT NULL,                    -- path in the URL Tree from the root: host labels reversed, then path segments
  hashes BYTEA NOT NULL,                        -- distinct block hashes in order of first appearance, 16 bytes each
  template BYTEA                                -- what the page adds to its site's template: DOM paths with sums, packed
);
