-- Optional (blocks in output.write): one row per text block, with its label and the
-- reason for the label.
CREATE TABLE blocks (
  date DATE NOT NULL,                           -- UTC day of fetched_at
  domain VARCHAR NOT NULL,                      -- public suffix and one label
  fetched_at TIMESTAMP WITH TIME ZONE NOT NULL, -- when the page was fetched, UTC
  url_key VARCHAR NOT NULL,                     -- the page
  ordinal INT NOT NULL,                         -- position of the block in the page, from 0
  text VARCHAR NOT NULL,                        -- the block
  hash BYTEA NOT NULL,                          -- MD5 of its letters in lower case, 16 bytes
  label VARCHAR NOT NULL,                       -- content or boilerplate
  reason VARCHAR NOT NULL,                      -- the rule that decided, with its verdict: the table in docs/method.md#the-template
  count INT NOT NULL,                           -- pages with this block at the node that decided
  support INT NOT NULL,                         -- pages at the node that decided
  node VARCHAR NOT NULL,                        -- URL Tree node whose counts decided: a host and a path below it
  link_chars INT NOT NULL,                      -- characters of the block inside links
  slot VARCHAR NOT NULL,                        -- DOM path: open elements with their classes and ids, from body to the block
  chrome BOOLEAN NOT NULL                       -- true below nav, aside, header, footer, form and the like
);
