-- The next inactive webhook. Deliveries of a suspended owner do not expire.
SELECT i.id FROM gatepost_webhook i INDEXED BY gatepost_webhook_inactive
WHERE i.activity <> 'active' AND i.id > ?1
    AND EXISTS (SELECT 1 FROM gatepost_live_webhook w WHERE w.id = i.id AND w.held = 0)
ORDER BY i.id LIMIT 1
