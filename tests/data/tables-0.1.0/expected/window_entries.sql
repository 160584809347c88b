SELECT date, domain, count(*) AS entries FROM window_entries WHERE date <= '2011-11-01' GROUP BY date, domain ORDER BY date, domain
