SELECT id FROM gatepost_delivery INDEXED BY gatepost_delivery_waiting
WHERE state = 0 AND webhook = ?1 AND class = ?2 AND due <= ?3
ORDER BY due, id LIMIT ?4
