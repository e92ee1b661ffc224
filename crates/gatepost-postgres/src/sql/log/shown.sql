-- As `shown` in list/shown.rs says, which puts in what is missing.
WITH hooks AS MATERIALIZED (
    SELECT w.id, w.floor FROM :hooks
)
SELECT :edge(f.id), :unknown FROM (
    SELECT s.id FROM hooks v CROSS JOIN LATERAL (
        SELECT d.id FROM :schema.gatepost_delivery_all d
        WHERE d.webhook = ANY (ARRAY[v.id]) AND d.id > greatest(v.floor, $4) AND d.id >= $1 AND d.id < $2
        ORDER BY d.webhook :direction, d.id :direction LIMIT 1) s
    UNION ALL
    SELECT s.id FROM hooks v CROSS JOIN LATERAL (
        SELECT q.id FROM :schema.gatepost_queue q
        WHERE q.webhook = ANY (ARRAY[v.id]) AND q.id >= $1 AND q.id < $2
        ORDER BY q.webhook :direction, q.id :direction LIMIT 1) s
    UNION ALL
    SELECT u.id FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (id) WHERE u.id >= $1 AND u.id < $2
) f
