-- Settlements of every kind. $2..$10: as in settle_sent.sql; the attempt is NULL if none was made.
-- $11: state, as in gatepost_outcome. $12: due. $13: whether the message is kept.
, given AS NOT MATERIALIZED (
    SELECT g.*, g.started IS NOT NULL AS attempted
    FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::timestamptz[], $6::bigint[], $7::text[], $8::int[], $9::bigint[], $10::bytea[],
                $11::smallint[], $12::timestamptz[], $13::boolean[])
         AS g (delivery, token, status_info, started, duration_us, class, status, kept_bytes, detail, state, due, keep_message)
), valid AS MATERIALIZED (
    SELECT g.delivery, g.token, g.state, g.due, g.status_info, g.started, g.duration_us, g.status, g.kept_bytes, g.detail, g.keep_message,
           n.tries + g.attempted::int AS tries, n.attempts + g.attempted::int AS attempts, n.lost,
           -- A released delivery is in the state before its claim.
           CASE WHEN g.state = 1 THEN n.class WHEN n.tries + g.attempted::int > 0 THEN 1 ELSE 0 END AS queue,
           CASE WHEN g.attempted THEN g.class WHEN n.attempts = 0 THEN '' ELSE (
               (SELECT o.class FROM :schema.gatepost_outcome o WHERE o.delivery = g.delivery ORDER BY o.delivery DESC, o.token DESC LIMIT 1)
               UNION ALL
               (SELECT o.class FROM :schema.gatepost_outcome_old o WHERE o.delivery = g.delivery ORDER BY o.delivery DESC, o.token DESC LIMIT 1)
               LIMIT 1) END AS class,
           d.webhook, d.owner, d.tenant, d.task
    FROM given g JOIN held h ON h.id = g.token CROSS JOIN LATERAL array_position(h.ids, g.delivery) AS p (pos)
    CROSS JOIN LATERAL (
        SELECT coalesce(h.tries[p.pos], 0) AS tries, coalesce(h.attempts[p.pos], 0) AS attempts,
               coalesce(h.class[p.pos], 0::smallint) AS class, coalesce(h.lost[p.pos], 0::smallint) AS lost
    ) n
    CROSS JOIN LATERAL (
        SELECT d.webhook, d.owner, d.tenant, d.task FROM :schema.gatepost_delivery d WHERE d.id = g.delivery
        UNION ALL SELECT d.webhook, d.owner, d.tenant, d.task FROM :schema.gatepost_delivery_old d WHERE d.id = g.delivery
        LIMIT 1
    ) d
    WHERE p.pos IS NOT NULL
), done AS (
    INSERT INTO :schema.gatepost_outcome (delivery, token, webhook, owner, tenant, task, attempts, tries, state, lost, status, started, duration_us,
        class, status_info, kept_bytes, detail)
    SELECT delivery, token, CASE WHEN state = 3 THEN webhook END, CASE WHEN state = 3 THEN owner END,
        CASE WHEN state = 3 THEN tenant END, CASE WHEN state = 3 THEN task END, attempts, tries, state, lost, status, started, duration_us,
        class, status_info, kept_bytes, detail
    FROM valid
    ON CONFLICT DO NOTHING
    RETURNING delivery, token
), again AS (
    INSERT INTO :schema.gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    SELECT v.delivery, v.webhook, v.due, v.tries, v.attempts, v.queue, v.lost, true
    FROM done n JOIN valid v ON v.delivery = n.delivery WHERE v.state < 2
), unkept AS (
    UPDATE :schema.gatepost_delivery SET body = NULL WHERE id = ANY (ARRAY(
        SELECT v.delivery FROM done n JOIN valid v ON v.delivery = n.delivery WHERE v.state >= 2 AND NOT v.keep_message))
), unkept_old AS (
    UPDATE :schema.gatepost_delivery_old SET body = NULL WHERE id = ANY (ARRAY(
        SELECT v.delivery FROM done n JOIN valid v ON v.delivery = n.delivery WHERE v.state >= 2 AND NOT v.keep_message))
)
