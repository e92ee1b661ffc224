-- ?1: created before. ?2: limit. Each state is a range of the index.
SELECT id FROM (
    SELECT id, created FROM (SELECT id, created FROM gatepost_delivery INDEXED BY gatepost_delivery_of_state
        WHERE state = 2 AND created < ?1 AND webhook NOT IN (SELECT id FROM gatepost_gone_webhook)
        ORDER BY created, id LIMIT ?2)
    UNION ALL
    SELECT id, created FROM (SELECT id, created FROM gatepost_delivery INDEXED BY gatepost_delivery_of_state
        WHERE state = 3 AND created < ?1 AND webhook NOT IN (SELECT id FROM gatepost_gone_webhook)
        ORDER BY created, id LIMIT ?2))
ORDER BY created, id LIMIT ?2
