DELETE FROM gatepost_key WHERE id IN (
    SELECT id FROM gatepost_key INDEXED BY gatepost_key_of_owner WHERE owner = ?1 AND id <= ?2 LIMIT ?3)
