SELECT id, webhook, due, attempts, tries, lost, class FROM gatepost_queue INDEXED BY gatepost_queue_of_webhook
WHERE webhook = ?1 ORDER BY id LIMIT 1
