SELECT 1 FROM gatepost_delivery d
WHERE d.id = ?1 AND d.settled = ?2 AND EXISTS (SELECT 1 FROM gatepost_live_webhook w WHERE w.id = d.webhook)
