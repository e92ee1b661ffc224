, named AS MATERIALIZED (
    SELECT record AS id FROM changed WHERE kind = 0
    UNION SELECT w.id FROM changed c CROSS JOIN LATERAL (
        SELECT w.id FROM :schema.gatepost_webhook w WHERE w.owner = c.owner ORDER BY w.id OFFSET 0) w
    WHERE c.kind = 3
    -- The caller may not hold a webhook that no task used until this change.
    UNION SELECT t.webhook FROM changed c CROSS JOIN LATERAL (
        SELECT t.webhook FROM :schema.gatepost_task t WHERE t.id = c.record AND t.enabled LIMIT 1) t
    WHERE c.kind IN (1, 6)
)
SELECT n.id AS named, w.*
FROM named n LEFT JOIN LATERAL (
    SELECT :columns
    FROM :schema.gatepost_webhook w
    WHERE w.id = n.id AND NOT w.gone
        AND (SELECT o.place = $1 AND NOT o.held AND NOT o.gone FROM :schema.gatepost_owner o WHERE o.owner = w.owner)
    LIMIT 1
) w ON true
ORDER BY n.id
