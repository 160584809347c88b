-- Optional (output.blocks = true): one row per text block, with the label and
-- the reason for it.
CREATE EXTERNAL TABLE blocks (
  date DATE NOT NULL COMMENT 'UTC day of fetched_at',
  domain STRING NOT NULL COMMENT 'public suffix and one label',
  fetched_at TIMESTAMP WITH TIME ZONE NOT NULL COMMENT 'when the page was fetched, UTC',
  url_key STRING NOT NULL COMMENT 'the page',
  ordinal INT NOT NULL COMMENT 'position of the block in the page, from 0',
  text STRING NOT NULL COMMENT 'the block',
  hash BINARY NOT NULL COMMENT 'MD5 of its letters in lower case, 16 bytes',
  label STRING NOT NULL COMMENT 'content or boilerplate',
  count INT NOT NULL COMMENT 'pages with this block at the node that decided',
  support INT NOT NULL COMMENT 'pages at the node that decided',
  node STRING NOT NULL COMMENT 'the URL Tree node that decided: a host and a path below it',
  link_chars INT NOT NULL COMMENT 'characters of the block inside links',
  slot STRING NOT NULL COMMENT 'path of open elements with their classes',
  chrome BOOLEAN NOT NULL COMMENT 'true below nav, aside, header, footer, form and the like'
) STORED AS DELTATABLE LOCATION 'blocks';
