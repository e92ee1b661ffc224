UPDATE gatepost_webhook SET gone = 1 WHERE id IN (
    SELECT id FROM gatepost_webhook INDEXED BY gatepost_webhook_of_owner
    WHERE owner = ?1 AND id <= ?2 AND gone = 0 LIMIT ?3)
