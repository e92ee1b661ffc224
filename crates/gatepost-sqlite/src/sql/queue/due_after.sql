SELECT id, due, webhook, class FROM gatepost_queue INDEXED BY gatepost_queue_due
WHERE due > ?1 AND due <= ?2 ORDER BY due, id LIMIT ?3
