-- $1: realm. $2: limit.
SELECT e.id, e.revision, e.event_type, e.event, e.target, e.task, e.filters
FROM :schema.gatepost_owner o JOIN :schema.gatepost_event e ON e.owner = o.owner
JOIN :schema.gatepost_task t ON t.id = e.task JOIN :schema.gatepost_webhook w ON w.id = t.webhook
WHERE o.place = $1 AND NOT o.held AND NOT o.gone AND e.enabled AND NOT w.gone
ORDER BY e.id LIMIT $2
