-- One row per archive row that could not be processed, and one per archive
-- object that could not be opened at all (row is null then).
CREATE TABLE quarantine (
  date DATE NOT NULL,                  -- UTC day of fetched_at; if that is unknown, the day of the object or of the run
  domain VARCHAR,                      -- public suffix and one label, if the URL could be parsed
  fetched_at TIMESTAMP WITH TIME ZONE, -- when the page was fetched, UTC
  source VARCHAR NOT NULL,             -- object in the archive, relative to its location
  row_group INT,                       -- row group in the object, from 0
  row BIGINT,                          -- row in the object, from 0
  url VARCHAR,                         -- URL as in the archive
  reason VARCHAR NOT NULL,             -- stable code of the reason
  detail VARCHAR NOT NULL,             -- the reason in words
  bytes BIGINT                         -- bytes of HTML of the row, or of the object, if known
);
