SELECT (SELECT count(*) FROM gatepost_delivery WHERE state = 0) AS queued,
       (SELECT count(*) FROM gatepost_delivery WHERE state = 1) AS running,
       (SELECT count(*) FROM gatepost_occurrence WHERE rejected IS NULL) AS outbox,
       (SELECT min((SELECT q.due FROM gatepost_delivery q
                    WHERE q.state = 0 AND q.webhook = w.id AND q.class = c.class ORDER BY q.due, q.id LIMIT 1))
        FROM gatepost_webhook w CROSS JOIN (SELECT 0 AS class UNION ALL SELECT 1) c
        WHERE w.activity = 'active') AS oldest_due
