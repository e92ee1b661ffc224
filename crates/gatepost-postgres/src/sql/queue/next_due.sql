-- $1: now. As due_lanes.sql, then one probe beyond `now` in each lane.
WITH RECURSIVE lane (webhook, class) AS (
    (SELECT d.webhook, d.class FROM gatepost_delivery d
     WHERE d.state = 'queued' ORDER BY d.webhook, d.class, d.due, d.id LIMIT 1)
    UNION ALL
    SELECT n.webhook, n.class FROM lane l
    CROSS JOIN LATERAL (
        SELECT d.webhook, d.class FROM gatepost_delivery d
        WHERE d.state = 'queued' AND (d.webhook, d.class) > (l.webhook, l.class)
        ORDER BY d.webhook, d.class, d.due, d.id LIMIT 1
    ) n
)
SELECT min(n.due) AS due
FROM lane l
JOIN gatepost_webhook w ON w.id = l.webhook AND w.activity = 'active' AND NOT w.gone
JOIN gatepost_owner o ON o.owner = w.owner AND NOT (o.held OR o.gone) AND o.moving IS NULL
CROSS JOIN LATERAL (
    SELECT d.due FROM gatepost_delivery d
    WHERE d.state = 'queued' AND d.webhook = l.webhook AND d.class = l.class AND d.due > $1
    ORDER BY d.due, d.id LIMIT 1
) n
