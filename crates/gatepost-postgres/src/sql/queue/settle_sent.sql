-- The common case: sent, the message kept, nothing gone. Put together of this, sent_none_gone.sql or sent_among_gone.sql, and sent_end.sql.
-- All or nothing: raises where a part was stored before, stores nothing where a part is stale or gone, and nor does settle.sql after it
-- (`gatepost.sent`).
, valid AS MATERIALIZED (
    SELECT g.*, coalesce(h.tries[p.pos], 0) + 1 AS tries, coalesce(h.attempts[p.pos], 0) + 1 AS attempts, coalesce(h.lost[p.pos], 0) AS lost
    FROM given g JOIN held h ON h.id = g.token CROSS JOIN LATERAL array_position(h.ids, g.delivery) AS p (pos)
    WHERE p.pos IS NOT NULL
