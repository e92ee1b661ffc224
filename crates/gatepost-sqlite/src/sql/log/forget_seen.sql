DELETE FROM gatepost_seen WHERE id IN (SELECT id FROM gatepost_seen WHERE stored < ?1 ORDER BY stored LIMIT ?2)
