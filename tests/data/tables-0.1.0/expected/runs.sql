SELECT date, settings_digest, version, archive_rows, unique_pages, duplicates, blocklisted, quarantined FROM runs WHERE date <= '2011-11-01' ORDER BY date
