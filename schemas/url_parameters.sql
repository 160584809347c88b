-- The learned parameters of URLs: one row per parameter and date on which
-- the archive has it. The row with the latest date holds. Not with paper.queries = "drop".
CREATE TABLE url_parameters (
  date DATE NOT NULL,                           -- the last UTC day of the counts
  domain VARCHAR NOT NULL,                      -- public suffix and one label
  host VARCHAR NOT NULL,                        -- host and port; www for mobile hosts
  path_shape VARCHAR NOT NULL,                  -- path, with * for segments that name pages
  parameter VARCHAR NOT NULL,                   -- name in lower case; ?name without a value, ;name in a path; /amp, /print, /index: a segment; m.: a host
  verdict VARCHAR NOT NULL,                     -- undecided, noise (dropped from URL keys) or identifies (stays)
  since DATE,                                   -- first day of the verdict, after date; null while undecided
  revised BOOLEAN NOT NULL,                     -- the verdict was noise and turned out wrong
  rows BIGINT NOT NULL,                         -- rows of the archive with the parameter
  same BIGINT NOT NULL,                         -- pages with the content of a page that differs in this parameter only
  differs BIGINT NOT NULL,                      -- pages with other content than all pages that differ in this parameter only
  contents BIGINT NOT NULL,                     -- one of 64 bits per content among same
  first_date DATE NOT NULL,                     -- first day with a row
  last_date DATE NOT NULL,                      -- last day with a row
  example_url VARCHAR,                          -- the last page that was counted
  compared_url VARCHAR                          -- the page it was compared with
);
