SELECT (SELECT count(*) FROM gatepost_delivery WHERE state = 'queued') AS queued,
       (SELECT count(*) FROM gatepost_delivery WHERE state = 'running') AS running,
       (SELECT count(*) FROM gatepost_occurrence WHERE rejected IS NULL) AS outbox,
       (SELECT min(d.due)
        FROM gatepost_webhook w
        CROSS JOIN (VALUES (0::smallint), (1::smallint)) AS c (class)
        CROSS JOIN LATERAL (
            SELECT due FROM gatepost_delivery q
            WHERE q.state = 'queued' AND q.webhook = w.id AND q.class = c.class ORDER BY q.due, q.id LIMIT 1
        ) d
        WHERE w.activity = 'active') AS oldest_due
