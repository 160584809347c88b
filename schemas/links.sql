-- Optional (links in output.write): one row per link of a page that leads to another page,
-- in source order. A page has at most 10,000.
CREATE TABLE links (
  date DATE NOT NULL,                           -- UTC day of fetched_at
  domain VARCHAR NOT NULL,                      -- public suffix and one label, of the page
  fetched_at TIMESTAMP WITH TIME ZONE NOT NULL, -- when the page was fetched, UTC
  url_key VARCHAR NOT NULL,                     -- the page
  ordinal INT NOT NULL,                         -- position of the link among those of the page, from 0
  target VARCHAR NOT NULL,                      -- absolute URL: http, https, mailto, ftp or tel
  text VARCHAR NOT NULL,                        -- text of the link, at most 1,000 bytes; of images the alternative texts; empty for an icon
  in_content BOOLEAN NOT NULL                   -- true if the block in which its text begins is content; without a text, the block around or behind it
);
