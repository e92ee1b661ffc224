, named AS MATERIALIZED (
    SELECT record AS id FROM changed WHERE kind IN (1, 6)
    UNION SELECT t.id FROM changed c CROSS JOIN LATERAL (
        SELECT t.id FROM :schema.gatepost_task t WHERE t.owner = c.owner ORDER BY t.id OFFSET 0) t
    WHERE c.kind = 3
)
SELECT n.id AS named, t.*
FROM named n LEFT JOIN LATERAL (
    SELECT t.id, t.revision, t.owner, t.webhook, t.delete_after_run
    FROM :schema.gatepost_task t JOIN :schema.gatepost_webhook w ON w.id = t.webhook
    WHERE t.id = n.id AND t.enabled AND NOT w.gone
        AND (SELECT o.place = $1 AND NOT o.held AND NOT o.gone FROM :schema.gatepost_owner o WHERE o.owner = t.owner)
    LIMIT 1
) t ON true
ORDER BY n.id
