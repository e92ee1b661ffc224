, named AS MATERIALIZED (
    SELECT record AS id FROM changed WHERE kind = 2
    UNION SELECT e.id FROM changed c CROSS JOIN LATERAL (
        SELECT e.id FROM :schema.gatepost_event e WHERE e.owner = c.owner ORDER BY e.id OFFSET 0) e
    WHERE c.kind = 3
    UNION SELECT e.id FROM changed c CROSS JOIN LATERAL (
        SELECT e.id FROM :schema.gatepost_event e WHERE e.task = c.record ORDER BY e.task, e.id OFFSET 0) e
    WHERE c.kind = 6
)
SELECT n.id AS named, e.*
FROM named n LEFT JOIN LATERAL (
    SELECT e.id, e.revision, e.event_type, e.event, e.target, e.task, e.filters
    FROM :schema.gatepost_event e JOIN :schema.gatepost_task t ON t.id = e.task JOIN :schema.gatepost_webhook w ON w.id = t.webhook
    WHERE e.id = n.id AND e.enabled AND NOT w.gone
        AND (SELECT o.place = $1 AND NOT o.held AND NOT o.gone FROM :schema.gatepost_owner o WHERE o.owner = e.owner)
    LIMIT 1
) e ON true
ORDER BY n.id
