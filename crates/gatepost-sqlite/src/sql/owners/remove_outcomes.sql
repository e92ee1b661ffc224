DELETE FROM gatepost_outcome WHERE delivery = ?1 AND token IN (
    SELECT token FROM gatepost_outcome WHERE delivery = ?1 LIMIT ?2)
