-- ?1: created before. ?2: limit. Each state is a range of the index.
DELETE FROM gatepost_delivery WHERE id IN (
    SELECT id FROM (
        SELECT id, created FROM (SELECT id, created FROM gatepost_delivery INDEXED BY gatepost_delivery_of_state
            WHERE state = 2 AND created < ?1 ORDER BY created, id LIMIT ?2)
        UNION ALL
        SELECT id, created FROM (SELECT id, created FROM gatepost_delivery INDEXED BY gatepost_delivery_of_state
            WHERE state = 3 AND created < ?1 ORDER BY created, id LIMIT ?2))
    ORDER BY created, id LIMIT ?2)
