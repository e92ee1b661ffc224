-- The common case: sent, the message kept, nothing gone. Reads nothing of the log. All or nothing: raises where a part was stored before,
-- stores nothing where a part is stale or anything is gone, and nor does settle.sql after it (`gatepost.sent`).
, valid AS MATERIALIZED (
    SELECT g.*, coalesce(h.tries[p.pos], 0) + 1 AS tries, coalesce(h.attempts[p.pos], 0) + 1 AS attempts, coalesce(h.lost[p.pos], 0) AS lost
    FROM given g JOIN held h ON h.id = g.token CROSS JOIN LATERAL array_position(h.ids, g.delivery) AS p (pos)
    WHERE p.pos IS NOT NULL AND (SELECT w.id FROM :schema.gatepost_webhook w WHERE w.gone LIMIT 1) IS NULL
        AND (SELECT o.owner FROM :schema.gatepost_owner o WHERE o.gone LIMIT 1) IS NULL
), done AS (
    INSERT INTO :schema.gatepost_outcome (delivery, token, attempts, tries, state, lost, status, started, duration_us, dns_us, connect_us, tls_us,
        first_byte_us, truncated, kept, class, status_info, info, remote, protocol, response_head, response_body, request_head)
    SELECT delivery, token, attempts, tries, state, lost, status, started, duration_us, dns_us, connect_us, tls_us,
        first_byte_us, truncated, kept, class, status_info, info, remote, protocol, response_head, response_body, request_head
    FROM valid WHERE (SELECT count(*) FROM valid) = cardinality($2)
    RETURNING delivery, token
)
