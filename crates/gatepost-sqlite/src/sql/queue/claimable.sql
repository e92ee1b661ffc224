SELECT id, webhook, due, attempts, tries, lost, class FROM gatepost_queue INDEXED BY gatepost_queue_class
WHERE webhook = ?1 AND class = ?2 AND due <= ?3
ORDER BY due, id LIMIT ?4
