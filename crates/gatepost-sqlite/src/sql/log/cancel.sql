UPDATE gatepost_delivery SET state = 3, status_info = ?2
WHERE id = ?1 AND state = 0 AND EXISTS (SELECT 1 FROM gatepost_live_webhook w WHERE w.id = gatepost_delivery.webhook)
