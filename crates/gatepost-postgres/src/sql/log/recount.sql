-- $1: owner. $2: their share. The oldest ended deliveries beyond it are hidden, up to `floor`.
-- Among hidden deliveries only those that wait or run are read, by their numbers.
WITH hook AS MATERIALIZED (
    SELECT w.id, o.hidden_to AS floor FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
    WHERE w.owner = $1 AND NOT w.gone
), waiting AS MATERIALIZED (
    SELECT h.floor, q.id FROM hook h CROSS JOIN LATERAL (
        SELECT q.id FROM :schema.gatepost_queue q WHERE q.webhook = h.id ORDER BY q.webhook, q.id OFFSET 0) q
    UNION ALL SELECT h.floor, d.id FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (delivery)
    CROSS JOIN LATERAL (SELECT d.id, d.webhook FROM :schema.gatepost_delivery_all d WHERE d.id = u.delivery LIMIT 1) d
    JOIN hook h ON h.id = d.webhook
    WHERE (SELECT e.token FROM :schema.gatepost_outcome_all e WHERE e.delivery = u.delivery AND e.token = g.id) IS NULL
), row AS MATERIALIZED (
    SELECT d.id, d.bytes, d.waits FROM hook h CROSS JOIN :schema.gatepost_kept k CROSS JOIN LATERAL (
        SELECT d.id, d.created, coalesce(octet_length(d.body), 0)::bigint AS bytes, d.id IN (SELECT id FROM waiting) AS waits
        FROM :schema.gatepost_delivery_all d WHERE d.webhook = h.id AND d.id > h.floor OFFSET 0) d
    WHERE d.waits OR d.created >= k.created_before
    UNION ALL SELECT w.id, d.bytes, true FROM waiting w CROSS JOIN LATERAL (
        SELECT coalesce(octet_length(d.body), 0)::bigint AS bytes FROM :schema.gatepost_delivery_all d WHERE d.id = w.id LIMIT 1) d
    WHERE w.id <= w.floor
), logged AS MATERIALIZED (
    SELECT r.id, r.bytes, r.waits, r.bytes + (
            SELECT coalesce(sum(e.kept_bytes), 0) FROM :schema.gatepost_outcome_all e WHERE e.delivery = r.id) AS log_bytes
    FROM row r
), beyond AS MATERIALIZED (
    SELECT coalesce(max(e.id), 0) AS floor FROM (
        SELECT l.id, l.log_bytes, sum(l.log_bytes) OVER (ORDER BY l.id DESC) AS left FROM logged l WHERE NOT l.waits) e
    WHERE e.left > $2::bigint
), hidden AS (
    UPDATE :schema.gatepost_owner o SET hidden_to = b.floor FROM beyond b WHERE o.owner = $1 AND b.floor > o.hidden_to
), counted AS MATERIALIZED (
    SELECT count(*) FILTER (WHERE waits) AS waiting, coalesce(sum(bytes) FILTER (WHERE waits), 0)::bigint AS waiting_bytes,
        coalesce(sum(l.log_bytes) FILTER (WHERE waits OR id > b.floor), 0)::bigint AS log_bytes
    FROM beyond b CROSS JOIN logged l
), stored AS (
    INSERT INTO :schema.gatepost_log_usage (owner, waiting, waiting_bytes, log_bytes)
    SELECT $1, waiting, waiting_bytes, log_bytes FROM counted
    WHERE (SELECT o.gone FROM :schema.gatepost_owner o WHERE o.owner = $1) IS NOT TRUE
    ON CONFLICT (owner) DO UPDATE SET waiting = excluded.waiting, waiting_bytes = excluded.waiting_bytes, log_bytes = excluded.log_bytes
)
SELECT * FROM counted
