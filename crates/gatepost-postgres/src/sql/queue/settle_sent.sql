-- The common case: sent, and the message kept. Reads nothing of the log, and raises an error if a
-- part was stored earlier.
-- $2, $3: deliveries and tokens. $4: status_info. $5..$10: the attempt.
, done AS (
    INSERT INTO :schema.gatepost_outcome (delivery, token, attempts, tries, state, lost, status_info, started, duration_us,
        class, status, kept_bytes, detail)
    SELECT g.delivery, g.token, coalesce(h.attempts[p.pos], 0) + 1, coalesce(h.tries[p.pos], 0) + 1, 2, coalesce(h.lost[p.pos], 0),
        g.status_info, g.started, g.duration_us, g.class, g.status, g.kept_bytes, g.detail
    FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::timestamptz[], $6::bigint[], $7::text[], $8::int[], $9::bigint[], $10::bytea[])
         AS g (delivery, token, status_info, started, duration_us, class, status, kept_bytes, detail)
    JOIN held h ON h.id = g.token CROSS JOIN LATERAL array_position(h.ids, g.delivery) AS p (pos)
    WHERE p.pos IS NOT NULL
    RETURNING delivery, token
)
