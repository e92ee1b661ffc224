-- $1: owner.
WITH row AS MATERIALIZED (
    SELECT d.id, d.state IN ('queued', 'running') AS waits, octet_length(d.body)::bigint AS bytes
    FROM gatepost_delivery d JOIN gatepost_webhook w ON w.id = d.webhook AND NOT w.gone
    JOIN gatepost_owner o ON o.owner = d.owner AND NOT o.gone
    WHERE d.owner = $1
), counted AS MATERIALIZED (
    SELECT count(*) FILTER (WHERE waits) AS waiting, coalesce(sum(bytes) FILTER (WHERE waits), 0)::bigint AS waiting_bytes,
        (coalesce(sum(bytes), 0) + (
            SELECT coalesce(sum(octet_length(a.response_head)::bigint + octet_length(a.response_body)), 0)
            FROM row r JOIN gatepost_attempt a ON a.delivery = r.id))::bigint AS log_bytes
    FROM row
), stored AS (
    INSERT INTO gatepost_log_usage (owner, waiting, waiting_bytes, log_bytes)
    SELECT $1, waiting, waiting_bytes, log_bytes FROM counted
    WHERE (SELECT o.gone FROM gatepost_owner o WHERE o.owner = $1) IS NOT TRUE
    ON CONFLICT (owner) DO UPDATE SET waiting = excluded.waiting, waiting_bytes = excluded.waiting_bytes, log_bytes = excluded.log_bytes
)
SELECT * FROM counted
