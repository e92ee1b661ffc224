
SELECT c.*, l.*, n.next_due
FROM (SELECT (SELECT q.due FROM :schema.gatepost_queue q WHERE q.due > $1 AND q.class >= 0 ORDER BY q.due, q.id LIMIT 1) AS next_due) n
LEFT JOIN (claimable c FULL JOIN last l ON true) ON true
