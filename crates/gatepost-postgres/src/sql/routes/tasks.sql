-- $1: realm. $2: limit.
SELECT t.id, t.revision, t.owner, t.webhook, t.delete_after_run
FROM :schema.gatepost_owner o JOIN :schema.gatepost_task t ON t.owner = o.owner JOIN :schema.gatepost_webhook w ON w.id = t.webhook
WHERE o.place = $1 AND NOT o.held AND NOT o.gone AND t.enabled AND NOT w.gone
ORDER BY t.id LIMIT $2
