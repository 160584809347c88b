SELECT date, url_key, url, fetched_at, status, title, content_blocks, support, node, md5(text) AS text FROM documents WHERE date <= '2011-11-01' ORDER BY url, fetched_at
