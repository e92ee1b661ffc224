, named AS MATERIALIZED (
    SELECT record AS id FROM changed WHERE kind = 0
    UNION SELECT w.id FROM changed c JOIN :schema.gatepost_webhook w ON w.owner = c.record WHERE c.kind = 3
    -- A webhook that no task sent may not be known yet.
    UNION SELECT t.webhook FROM changed c JOIN :schema.gatepost_task t ON t.id = c.record WHERE c.kind = 1 AND t.enabled
)
SELECT n.id AS named, w.*
FROM named n LEFT JOIN LATERAL (
    SELECT w.id, w.revision, w.created, w.modified, w.owner, w.name, w.url, w.authorization_kind, w.authorization_data,
        w.headers, w.allow_insecure, w.timeout_s, w.retries, w.activity, w.in_order, w.signing, w.rate
    FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner
    WHERE w.id = n.id AND NOT w.gone AND o.place = $1 AND NOT o.held AND NOT o.gone LIMIT 1
) w ON true
ORDER BY n.id
