-- What runs is no more than there are places for.
SELECT 1 FROM gatepost_delivery d INDEXED BY gatepost_delivery_leased CROSS JOIN gatepost_webhook w ON w.id = d.webhook
WHERE d.state = 1 AND d.id <= ?2 AND w.owner = ?1 AND w.gone = 0 LIMIT 1
