-- As `shown` in list/source.rs says, which puts in `:edge` and `:direction`.
SELECT :edge(f.id) FROM (
    SELECT s.id FROM :schema.gatepost_webhook v CROSS JOIN LATERAL (
        SELECT d.id FROM :schema.gatepost_delivery_all d
        WHERE d.webhook = v.id AND d.id > v.floor AND d.id >= $1 AND d.id < $2 ORDER BY d.id :direction LIMIT 1) s
    WHERE v.owner = $3
    UNION ALL
    SELECT s.id FROM :schema.gatepost_webhook v CROSS JOIN LATERAL (
        SELECT q.id FROM :schema.gatepost_queue q
        WHERE q.webhook = v.id AND q.id >= $1 AND q.id < $2 ORDER BY q.webhook :direction, q.id :direction LIMIT 1) s
    WHERE v.owner = $3
    UNION ALL
    SELECT u.id FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (id) WHERE u.id >= $1 AND u.id < $2
) f
