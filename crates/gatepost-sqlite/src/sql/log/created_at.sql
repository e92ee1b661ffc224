SELECT id, created FROM gatepost_delivery WHERE id >= ?1 ORDER BY id LIMIT 1
