SELECT 1 FROM gatepost_webhook w INDEXED BY gatepost_webhook_of_owner
CROSS JOIN gatepost_delivery d INDEXED BY gatepost_delivery_waiting ON d.webhook = w.id
WHERE w.owner = ?1 AND w.gone = 0 AND d.state = 0 LIMIT 1
