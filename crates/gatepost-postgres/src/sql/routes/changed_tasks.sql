, named AS MATERIALIZED (
    SELECT record AS id FROM changed WHERE kind = 1
    UNION SELECT t.id FROM changed c JOIN :schema.gatepost_task t ON t.owner = c.record WHERE c.kind = 3
)
SELECT n.id AS named, t.*
FROM named n LEFT JOIN LATERAL (
    SELECT t.id, t.revision, t.owner, t.webhook, t.delete_after_run
    FROM :schema.gatepost_task t JOIN :schema.gatepost_webhook w ON w.id = t.webhook JOIN :schema.gatepost_owner o ON o.owner = t.owner
    WHERE t.id = n.id AND t.enabled AND NOT w.gone AND o.place = $1 AND NOT o.held AND NOT o.gone LIMIT 1
) t ON true
ORDER BY n.id
