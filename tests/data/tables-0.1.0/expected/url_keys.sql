SELECT date, url, fetched_at, status, url_key, domain, merged_by, source, row, duplicate_of FROM url_keys WHERE date <= '2011-11-01' ORDER BY source, row
