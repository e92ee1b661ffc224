    )
), alone AS (
    INSERT INTO :schema.gatepost_running (id, lease_until, webhook, open, ids, tries, attempts, class, lost)
    SELECT nextval(':schema.gatepost_claim'), $5, h.webhook, 1, ARRAY[h.id], ARRAY[h.tries], ARRAY[h.attempts], ARRAY[h.class], ARRAY[h.lost]
    FROM (SELECT * FROM heads ORDER BY webhook) h
    ON CONFLICT (webhook) WHERE webhook IS NOT NULL DO NOTHING
    RETURNING id, webhook
), got AS (
    DELETE FROM :schema.gatepost_queue WHERE ctid = ANY (ARRAY(
        SELECT tid FROM free UNION ALL SELECT h.tid FROM heads h JOIN alone a ON a.webhook = h.webhook))
    RETURNING id, webhook, due, tries, attempts, class, lost, marked
), shared AS (
    INSERT INTO :schema.gatepost_running (id, lease_until, open, ids, tries, attempts, class, lost)
    SELECT nextval(':schema.gatepost_claim'), $5, s.open, s.ids, s.tries, s.attempts, s.class, s.lost
    FROM (
        SELECT count(*) AS open, array_agg(g.id) AS ids,
               CASE WHEN bool_or(g.class > 0 OR g.marked) THEN array_agg(g.tries) END AS tries,
               CASE WHEN bool_or(g.class > 0 OR g.marked) THEN array_agg(g.attempts) END AS attempts,
               CASE WHEN bool_or(g.class > 0 OR g.marked) THEN array_agg(g.class) END AS class,
               CASE WHEN bool_or(g.class > 0 OR g.marked) THEN array_agg(g.lost) END AS lost
        FROM got g WHERE g.webhook NOT IN (SELECT a.webhook FROM alone a)
    ) s
    WHERE s.open > 0
    RETURNING id
)
SELECT g.id, g.webhook, g.due, g.tries, g.attempts, g.class AS queue, g.lost, g.marked, l.revision, l.in_order,
       coalesce((SELECT a.id FROM alone a WHERE a.webhook = g.webhook), (SELECT s.id FROM shared s)) AS token,
       d.owner, d.tenant, d.task, d.created, d.message_id, d.body, d.cause
FROM got g JOIN queue l ON l.webhook = g.webhook AND l.class = g.class
CROSS JOIN LATERAL (
    SELECT d.owner, d.tenant, d.task, d.created, d.message_id, d.body, d.cause FROM :schema.gatepost_delivery d WHERE d.id = g.id
    UNION ALL SELECT d.owner, d.tenant, d.task, d.created, d.message_id, d.body, d.cause FROM :schema.gatepost_delivery_old d WHERE d.id = g.id
    LIMIT 1
) d
