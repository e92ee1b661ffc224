-- What is gone is not counted, though not all of it may be removed.
WITH RECURSIVE gone AS MATERIALIZED (
    SELECT w.id FROM gatepost_webhook w WHERE w.gone
    UNION SELECT w.id FROM gatepost_owner o JOIN gatepost_webhook w ON w.owner = o.owner WHERE o.gone
), lane (webhook, class, due) AS (
    (SELECT d.webhook, d.class, d.due FROM gatepost_delivery d
     WHERE d.state = 'queued' ORDER BY d.webhook, d.class, d.due, d.id LIMIT 1)
    UNION ALL
    SELECT n.webhook, n.class, n.due FROM lane l
    CROSS JOIN LATERAL (
        SELECT d.webhook, d.class, d.due FROM gatepost_delivery d
        WHERE d.state = 'queued' AND (d.webhook, d.class) > (l.webhook, l.class)
        ORDER BY d.webhook, d.class, d.due, d.id LIMIT 1
    ) n
)
SELECT (SELECT count(*) FROM gatepost_delivery WHERE state = 'queued')
       - (SELECT count(*) FROM gone g JOIN gatepost_delivery d ON d.webhook = g.id
          AND d.state = 'queued' AND d.state IN ('queued', 'running')) AS queued,
       (SELECT count(*) FROM gatepost_delivery WHERE state = 'running')
       - (SELECT count(*) FROM gone g JOIN gatepost_delivery d ON d.webhook = g.id
          AND d.state = 'running' AND d.state IN ('queued', 'running')) AS running,
       (SELECT count(*) FROM gatepost_occurrence WHERE rejected IS NULL) AS outbox,
       (SELECT min(l.due) FROM lane l JOIN gatepost_webhook w ON w.id = l.webhook AND w.activity = 'active' AND NOT w.gone
        JOIN gatepost_owner o ON o.owner = w.owner AND NOT (o.held OR o.gone) AND o.moving IS NULL) AS oldest_due
