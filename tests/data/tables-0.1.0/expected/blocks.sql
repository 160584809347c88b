SELECT date, label, reason, count(*) AS blocks FROM blocks WHERE date <= '2011-11-01' GROUP BY date, label, reason ORDER BY date, label, reason
