SELECT id FROM gatepost_delivery INDEXED BY gatepost_delivery_of_webhook
WHERE webhook = ?1 AND state = 3 AND created >= ?2 AND created < ?3 AND message_kept ORDER BY id LIMIT ?4
