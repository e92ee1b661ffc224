SELECT * FROM gatepost_attempt WHERE delivery = ?1 AND EXISTS (
    SELECT 1 FROM gatepost_delivery d JOIN gatepost_live_webhook w ON w.id = d.webhook WHERE d.id = ?1)
ORDER BY number
