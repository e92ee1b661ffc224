-- $1, $2: the lane after which to start. $3: now. $4: limit.
-- A loose index scan: one probe of gatepost_delivery_waiting for each lane that has something waiting.
WITH RECURSIVE lane (webhook, class, due) AS (
    (SELECT d.webhook, d.class, d.due FROM gatepost_delivery d
     WHERE d.state = 'queued' AND (d.webhook, d.class) > ($1::bigint, $2::smallint)
     ORDER BY d.webhook, d.class, d.due, d.id LIMIT 1)
    UNION ALL
    SELECT n.webhook, n.class, n.due FROM lane l
    CROSS JOIN LATERAL (
        SELECT d.webhook, d.class, d.due FROM gatepost_delivery d
        WHERE d.state = 'queued' AND (d.webhook, d.class) > (l.webhook, l.class)
        ORDER BY d.webhook, d.class, d.due, d.id LIMIT 1
    ) n
)
SELECT l.webhook, l.class, coalesce(h.due, l.due) AS due
FROM lane l
CROSS JOIN LATERAL (SELECT w.in_order FROM gatepost_webhook w WHERE w.id = l.webhook AND w.activity = 'active') w
LEFT JOIN LATERAL (
    SELECT o.state, o.class, o.due FROM gatepost_delivery o
    WHERE w.in_order AND o.in_order AND o.state IN ('queued', 'running') AND o.webhook = l.webhook
    ORDER BY o.webhook, o.id LIMIT 1
) h ON true
WHERE CASE WHEN w.in_order THEN h.state = 'queued' AND h.class = l.class AND h.due <= $3 AND NOT EXISTS (
        SELECT FROM gatepost_delivery r
        WHERE r.in_order AND r.state = 'running' AND r.state IN ('queued', 'running') AND r.webhook = l.webhook)
      ELSE l.due <= $3 END
LIMIT $4
