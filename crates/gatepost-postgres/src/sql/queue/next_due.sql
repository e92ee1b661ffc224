-- $1: now.
SELECT q.due FROM :schema.gatepost_queue q WHERE q.due > $1 AND q.class >= 0 ORDER BY q.due, q.id LIMIT 1
