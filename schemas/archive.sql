-- The input: one row per fetched page. Any folder layout is read. A job maps other
-- column names under [archive.columns].
CREATE TABLE archive (
  fetched_at TIMESTAMP WITH TIME ZONE NOT NULL, -- when the page was fetched, UTC
  url VARCHAR NOT NULL,                         -- response URL, after redirects
  html BYTEA NOT NULL,                          -- the bytes of the page as fetched
  request_url VARCHAR,                          -- request URL, before redirects; stands in for url if url is null
  title VARCHAR,                                -- title of the feed item that led to the page
  content_type VARCHAR,                         -- Content-Type header of the response, its charset parameter included
  http_charset VARCHAR,                         -- charset of the Content-Type header, if the archive stores it separately
  http_status INT,                              -- status code of the response; pages outside 200..299 are quarantined
  x_robots_tag VARCHAR,                         -- X-Robots-Tag headers of the response, separated by commas or line breaks
  tdm_reservation VARCHAR,                      -- TDM-Reservation header of the response: 1 if text and data mining is reserved
  description VARCHAR,                          -- description of the feed item that led to the page
  published_at TIMESTAMP WITH TIME ZONE,        -- date of the feed item, UTC
  feed_url VARCHAR,                             -- URL of the feed, as it is in the list of feeds
  site_hash BIGINT                              -- unsigned: first 64 bits of the MD5 of the registrable domain; imports are ordered by it
);
