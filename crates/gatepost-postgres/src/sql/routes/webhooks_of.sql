-- $1: realm. $2, $3: type and event. The webhooks of the enabled tasks of those events.
SELECT :columns
FROM :schema.gatepost_webhook w
WHERE NOT w.gone AND w.id IN (
    SELECT t.webhook FROM :schema.gatepost_owner o JOIN :schema.gatepost_event e ON e.owner = o.owner JOIN :schema.gatepost_task t ON t.id = e.task
    WHERE o.place = $1 AND NOT o.held AND NOT o.gone AND e.event_type = $2 AND e.event = $3 AND e.enabled AND t.enabled)
ORDER BY w.id
