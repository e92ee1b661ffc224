, named AS MATERIALIZED (
    SELECT record AS id FROM changed WHERE kind = 2
    UNION SELECT e.id FROM changed c JOIN :schema.gatepost_event e ON e.owner = c.record WHERE c.kind = 3
)
SELECT n.id AS named, e.*
FROM named n LEFT JOIN LATERAL (
    SELECT e.id, e.revision, e.event_type, e.event, e.instance, e.tag, e.task
    FROM :schema.gatepost_event e JOIN :schema.gatepost_task t ON t.id = e.task JOIN :schema.gatepost_webhook w ON w.id = t.webhook
    JOIN :schema.gatepost_owner o ON o.owner = e.owner
    WHERE e.id = n.id AND e.enabled AND NOT w.gone AND o.place = $1 AND NOT o.held AND NOT o.gone LIMIT 1
) e ON true
ORDER BY n.id
