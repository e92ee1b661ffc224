SELECT (SELECT count(*) FROM gatepost_delivery INDEXED BY gatepost_delivery_waiting
        WHERE state = 0 AND webhook NOT IN (SELECT id FROM gatepost_gone_webhook)) AS queued,
       (SELECT count(*) FROM gatepost_delivery INDEXED BY gatepost_delivery_leased
        WHERE state = 1 AND webhook NOT IN (SELECT id FROM gatepost_gone_webhook)) AS running,
       (SELECT count(*) FROM gatepost_occurrence WHERE rejected IS NULL AND due IS NULL)
        + (SELECT count(*) FROM gatepost_occurrence WHERE rejected IS NULL AND due IS NOT NULL) AS outbox,
       (SELECT min((SELECT q.due FROM gatepost_delivery q INDEXED BY gatepost_delivery_waiting
                    WHERE q.state = 0 AND q.webhook = w.id AND q.class = c.class ORDER BY q.due, q.id LIMIT 1))
        FROM gatepost_live_webhook w CROSS JOIN (SELECT 0 AS class UNION ALL SELECT 1 UNION ALL SELECT 2) c
        WHERE w.activity = 'active' AND w.held = 0 AND w.moved = 0) AS oldest_due
