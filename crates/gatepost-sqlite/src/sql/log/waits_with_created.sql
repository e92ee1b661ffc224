SELECT q.id, d.created FROM gatepost_queue q INDEXED BY gatepost_queue_of_webhook
CROSS JOIN gatepost_delivery d ON d.id = q.id
WHERE q.webhook = ?1 ORDER BY q.id LIMIT ?2
