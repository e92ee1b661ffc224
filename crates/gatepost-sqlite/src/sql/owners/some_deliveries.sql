SELECT id FROM gatepost_delivery INDEXED BY gatepost_delivery_of_webhook WHERE webhook = ?1 ORDER BY id LIMIT ?2
