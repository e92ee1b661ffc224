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
SELECT l.webhook, l.class, coalesce(h.due, l.due) AS due, w.owner, w.place, w.revision
FROM lane l
CROSS JOIN LATERAL (
    SELECT w.in_order, w.owner, w.revision, o.place
    FROM gatepost_webhook w JOIN gatepost_owner o ON o.owner = w.owner AND NOT (o.held OR o.gone) AND o.moving IS NULL
    WHERE w.id = l.webhook AND w.activity = 'active' AND NOT w.gone
) w
LEFT JOIN LATERAL (
    SELECT o.class, o.due FROM gatepost_delivery o
    WHERE w.in_order AND o.state = 'queued' AND o.state IN ('queued', 'running') AND o.webhook = l.webhook
    ORDER BY o.webhook, o.state, o.id LIMIT 1
) h ON true
WHERE CASE WHEN w.in_order THEN h.class = l.class AND h.due <= $3 AND (
        SELECT r.id FROM gatepost_delivery r
        WHERE r.state = 'running' AND r.state IN ('queued', 'running') AND r.webhook = l.webhook LIMIT 1) IS NULL
      ELSE l.due <= $3 END
LIMIT $4
