SELECT date, source, row, reason, detail FROM quarantine WHERE date <= '2011-11-01' ORDER BY source, row
