-- One row per unique page (and per revision, where dedup.revisions is on): its
-- text, and what the URL Tree knew when it was labelled.
CREATE EXTERNAL TABLE documents (
  date DATE NOT NULL COMMENT 'UTC day of fetched_at',
  domain STRING NOT NULL COMMENT 'public suffix and one label',
  fetched_at TIMESTAMP WITH TIME ZONE NOT NULL COMMENT 'when the page was fetched, UTC',
  url STRING NOT NULL COMMENT 'response URL',
  url_key STRING NOT NULL COMMENT 'the normalised URL that names the page',
  status STRING NOT NULL COMMENT 'unique, or revision: a later version of a page that brought unseen text',
  title STRING COMMENT 'the <title> of the page, else the title in the archive',
  text STRING NOT NULL COMMENT 'content blocks, one per line',
  blocks INT NOT NULL COMMENT 'text blocks of the page',
  content_blocks INT NOT NULL COMMENT 'text blocks labelled content',
  content_chars BIGINT NOT NULL COMMENT 'characters in content blocks',
  boilerplate_chars BIGINT NOT NULL COMMENT 'characters in boilerplate blocks',
  support INT NOT NULL COMMENT 'pages counted at the node that decided',
  node STRING NOT NULL COMMENT 'the URL Tree node that decided: a host and a path below it',
  heuristic STRING NOT NULL COMMENT 'the labelling heuristic',
  charset STRING NOT NULL COMMENT 'WHATWG name of the encoding the bytes were decoded from',
  charset_source STRING NOT NULL COMMENT 'what decided the encoding: bom, http, meta, utf8 or detected',
  warnings ARRAY<STRING> NOT NULL COMMENT 'limits that cut the page and doubts about it, none for a clean page'
) STORED AS DELTATABLE LOCATION 'documents';
