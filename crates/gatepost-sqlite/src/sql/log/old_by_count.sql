-- ?1: webhook. ?2: how many to keep. ?3: limit.
DELETE FROM gatepost_delivery WHERE id IN (
    SELECT id FROM gatepost_delivery WHERE webhook = ?1 AND state >= 2 AND id <= (
        SELECT id FROM gatepost_delivery WHERE webhook = ?1 AND state >= 2 ORDER BY id DESC LIMIT 1 OFFSET ?2)
    ORDER BY id LIMIT ?3)
