-- One row per archive row that has a URL key: the page, and its status as first page or
-- duplicate of the key.
CREATE TABLE url_keys (
  date DATE NOT NULL,                           -- UTC day of fetched_at
  domain VARCHAR NOT NULL,                      -- public suffix and one label
  fetched_at TIMESTAMP WITH TIME ZONE NOT NULL, -- when the page was fetched, UTC
  url VARCHAR NOT NULL,                         -- response URL
  request_url VARCHAR,                          -- request URL, if the archive has one
  url_from_request BOOLEAN NOT NULL,            -- true if the request URL stands in for an unknown response URL
  url_key VARCHAR NOT NULL,                     -- normalised URL that identifies the page
  content_id VARCHAR,                           -- MD5 of the normalised title, if a title is known
  signature BYTEA,                              -- hashes of the title and of the heaviest blocks of a parsed page, little endian: 4 bytes, then 6 per block; no bytes if the page has no text
  rule VARCHAR,                                 -- URL rule that kept parameters; null if none applies
  status VARCHAR NOT NULL,                      -- unique, duplicate, revision, blocklisted, or quarantined (then also a row of quarantine)
  merged_by VARCHAR,                            -- first step at which this row equals its page: identical_url, redirect, encoding, dropped_query, rule, learned_parameter or same_content
  duplicate_of VARCHAR,                         -- source#row of the page this row duplicates; always a page with text, unless paper.lookback is limited
  source VARCHAR NOT NULL,                      -- object in the archive, relative to its location
  row BIGINT NOT NULL                           -- row in the object, from 0
);
