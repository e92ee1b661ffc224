DELETE FROM gatepost_delivery WHERE id IN (
    SELECT id FROM gatepost_delivery WHERE state >= 2 AND created < ?1 ORDER BY created, id LIMIT ?2)
