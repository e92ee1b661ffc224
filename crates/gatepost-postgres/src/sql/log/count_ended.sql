-- $3: now. Deliveries that ended without an attempt count as failed; in order, so that two calls
-- never wait for each other in a circle.
, counted AS (
    INSERT INTO :schema.gatepost_count AS c (webhook, hour, sent, failed, retried, milliseconds, bytes)
    SELECT l.webhook, date_trunc('hour', $3::timestamptz, 'UTC'), 0, count(*), 0, 0, 0
    FROM logged l GROUP BY l.webhook ORDER BY l.webhook
    ON CONFLICT (webhook, hour) DO UPDATE SET failed = c.failed + excluded.failed
)
