-- $1: now. $2, $3: the queue after which to start. $4: the number of queues to check.
-- A loose index scan: one probe of gatepost_queue_class for each queue with waiting deliveries.
-- (The condition that the webhook is not below $2 shows the planner that it is not NULL.)
WITH RECURSIVE found (webhook, class, nth) AS (
    (SELECT q.webhook, q.class, 1::bigint FROM :schema.gatepost_queue q
     WHERE (q.webhook, q.class) > ($2::bigint, $3::smallint) AND q.webhook >= $2::bigint AND $4::bigint > 0 ORDER BY q.webhook, q.class, q.due, q.id LIMIT 1)
    UNION ALL
    SELECT n.webhook, n.class, f.nth + 1 FROM found f
    CROSS JOIN LATERAL (
        SELECT q.webhook, q.class FROM :schema.gatepost_queue q
        WHERE (q.webhook, q.class) > (f.webhook, f.class) AND q.webhook >= f.webhook ORDER BY q.webhook, q.class, q.due, q.id LIMIT 1
    ) n
    WHERE f.nth < $4
), queue AS MATERIALIZED (
    SELECT webhook, class, NULL::timestamptz AS since, $1::timestamptz AS now FROM found
), last AS MATERIALIZED (
    SELECT webhook AS last_webhook, class AS last_class FROM found WHERE nth = $4
)
