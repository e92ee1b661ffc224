DELETE FROM gatepost_attempt WHERE delivery = ?1 AND number IN (
    SELECT number FROM gatepost_attempt WHERE delivery = ?1 LIMIT ?2)
