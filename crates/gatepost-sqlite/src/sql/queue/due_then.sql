SELECT id, due, webhook, class FROM gatepost_queue INDEXED BY gatepost_queue_due
WHERE due = ?1 AND id > ?2 ORDER BY id LIMIT ?3
