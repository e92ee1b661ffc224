SELECT id FROM gatepost_delivery
WHERE webhook = ?1 AND state = 3 AND created >= ?2 AND created < ?3 ORDER BY id LIMIT ?4
