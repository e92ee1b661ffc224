-- ?1: delivery. ?2: reason. Unless its webhook was resumed since it was found.
UPDATE gatepost_delivery SET state = 3, status_info = ?2
WHERE id = ?1 AND state = 0 AND EXISTS (
    SELECT 1 FROM gatepost_live_webhook w WHERE w.id = gatepost_delivery.webhook AND w.activity <> 'active' AND w.held = 0)
