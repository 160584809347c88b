-- Optional (site_blocks in output.write): the blocks that a site repeats and that no text has, such
-- as menus, addresses and imprints, once a date: its 1,000 most frequent, of the first 8,192.
CREATE TABLE site_blocks (
  date DATE NOT NULL,                           -- UTC day of fetched_at of the pages
  domain VARCHAR NOT NULL,                      -- public suffix and one label
  text VARCHAR NOT NULL,                        -- the block, at most 2,000 bytes; this and all below as on the first page of the date that has it
  hash BYTEA NOT NULL,                          -- MD5 of its letters in lower case, 16 bytes
  pages INT NOT NULL,                           -- rows of documents of this site and date with the block as boilerplate
  site_pages INT NOT NULL,                      -- rows of documents of this site and date
  count INT NOT NULL,                           -- pages with this block at the node that decided, at least 2, also of earlier dates
  support INT NOT NULL,                         -- pages at the node that decided
  reason VARCHAR NOT NULL,                      -- the rule that decided: the table in docs/method.md#the-template
  slot VARCHAR NOT NULL                         -- DOM path: open elements with their classes and ids, from body to the block
);
