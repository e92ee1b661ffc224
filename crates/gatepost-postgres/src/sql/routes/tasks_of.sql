-- $1: realm. $2, $3: type and event. The enabled tasks of those events.
SELECT t.id, t.revision, t.owner, t.webhook, t.delete_after_run
FROM :schema.gatepost_task t JOIN :schema.gatepost_webhook w ON w.id = t.webhook
WHERE t.enabled AND NOT w.gone AND t.id IN (
    SELECT e.task FROM :schema.gatepost_owner o JOIN :schema.gatepost_event e ON e.owner = o.owner
    WHERE o.place = $1 AND NOT o.held AND NOT o.gone AND e.event_type = $2 AND e.event = $3 AND e.enabled)
ORDER BY t.id
