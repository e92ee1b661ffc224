-- The common case: sent, and the message kept. Reads nothing of the log. All or nothing: raises where a part was stored before, stores
-- nothing where a part is stale, and nor does settle.sql after it (`gatepost.sent`).
, valid AS MATERIALIZED (
    SELECT g.*, coalesce(h.tries[p.pos], 0) + 1 AS tries, coalesce(h.attempts[p.pos], 0) + 1 AS attempts, coalesce(h.lost[p.pos], 0) AS lost
    FROM given g JOIN held h ON h.id = g.token CROSS JOIN LATERAL array_position(h.ids, g.delivery) AS p (pos)
    WHERE p.pos IS NOT NULL
), done AS (
    INSERT INTO :schema.gatepost_outcome (delivery, token, attempts, tries, state, lost, status, started, duration_us,
        class, status_info, kept_bytes, detail)
    SELECT delivery, token, attempts, tries, state, lost, status, started, duration_us,
        class, status_info, kept_bytes, detail
    FROM valid WHERE (SELECT count(*) FROM valid) = cardinality($2)
    RETURNING delivery, token
)
