-- ?1: owner. ?2: the last deleted key. ?3: the number of keys. ?4: the number of rows. For the keys
-- that are deleted next.
DELETE FROM gatepost_key_use WHERE (key, day) IN (
    SELECT u.key, u.day FROM (
        SELECT id FROM gatepost_key INDEXED BY gatepost_key_of_owner WHERE owner = ?1 AND id <= ?2 ORDER BY id LIMIT ?3) k
    CROSS JOIN gatepost_key_use u ON u.key = k.id LIMIT ?4)
