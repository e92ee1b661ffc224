-- $1: owner.
WITH running AS MATERIALIZED (
    SELECT u.delivery, g.id AS token FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (delivery)
), row AS MATERIALIZED (
    SELECT r.id, q.id IS NOT NULL OR u.delivery IS NOT NULL AS waits, coalesce(octet_length(r.body), 0)::bigint AS bytes,
        r.id > w.floor AND r.created >= k.created_before AS shown
    FROM :schema.gatepost_delivery_all r JOIN :schema.gatepost_webhook w ON w.id = r.webhook AND NOT w.gone
    JOIN :schema.gatepost_owner o ON o.owner = r.owner AND NOT o.gone CROSS JOIN :schema.gatepost_kept k
    LEFT JOIN :schema.gatepost_queue q ON q.id = r.id
    LEFT JOIN running u ON u.delivery = r.id
        AND (SELECT e.token FROM :schema.gatepost_outcome_all e WHERE e.delivery = u.delivery AND e.token = u.token) IS NULL
    WHERE r.owner = $1
), counted AS MATERIALIZED (
    SELECT count(*) FILTER (WHERE waits) AS waiting, coalesce(sum(bytes) FILTER (WHERE waits), 0)::bigint AS waiting_bytes,
        (coalesce(sum(bytes) FILTER (WHERE waits OR shown), 0) + (
            SELECT coalesce(sum(coalesce(octet_length(e.request_head), 0)::bigint + coalesce(octet_length(e.response_head), 0) + coalesce(octet_length(e.response_body), 0)), 0)
            FROM row r JOIN :schema.gatepost_outcome_all e ON e.delivery = r.id WHERE r.waits OR r.shown))::bigint AS log_bytes
    FROM row
), stored AS (
    INSERT INTO :schema.gatepost_log_usage (owner, waiting, waiting_bytes, log_bytes)
    SELECT $1, waiting, waiting_bytes, log_bytes FROM counted
    WHERE (SELECT o.gone FROM :schema.gatepost_owner o WHERE o.owner = $1) IS NOT TRUE
    ON CONFLICT (owner) DO UPDATE SET waiting = excluded.waiting, waiting_bytes = excluded.waiting_bytes, log_bytes = excluded.log_bytes
)
SELECT * FROM counted
