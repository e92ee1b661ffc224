-- The rows that were removed from the queue.
SELECT g.id, g.webhook, g.class, r.owner, octet_length(r.body)::bigint AS bytes FROM gone g CROSS JOIN LATERAL (
    SELECT d.owner, d.body FROM :schema.gatepost_delivery d WHERE d.id = g.id
    UNION ALL SELECT d.owner, d.body FROM :schema.gatepost_delivery_old d WHERE d.id = g.id
    LIMIT 1) r
ORDER BY g.id
