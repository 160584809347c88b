-- One row per archive row that has a URL key: which page it is, and whether it
-- was the first of its key.
CREATE TABLE url_keys (
  date DATE NOT NULL,                           -- UTC day of fetched_at
  domain VARCHAR NOT NULL,                      -- public suffix and one label
  fetched_at TIMESTAMP WITH TIME ZONE NOT NULL, -- when the page was fetched, UTC
  url VARCHAR NOT NULL,                         -- response URL
  request_url VARCHAR,                          -- URL that was asked for, where the archive knows it
  url_from_request BOOLEAN NOT NULL,            -- true where no response URL is known and the request URL stands in for it
  url_key VARCHAR NOT NULL,                     -- the normalised URL that names the page
  content_id VARCHAR,                           -- MD5 of the normalised title, where a title is known
  rule VARCHAR,                                 -- the URL rule that kept parameters, none where the query was dropped
  status VARCHAR NOT NULL,                      -- unique, duplicate, revision, blocklisted, or quarantined (then also a row of quarantine)
  merged_by VARCHAR,                            -- the step that found the duplicate: identical_url, redirect, encoding, dropped_query or rule
  duplicate_of VARCHAR,                         -- source#row of the page this row duplicates
  source VARCHAR NOT NULL,                      -- object in the archive, relative to its location
  row BIGINT NOT NULL                           -- row in the object, from 0
);
