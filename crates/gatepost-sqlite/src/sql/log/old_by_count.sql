-- ?1: webhook. ?2: how many to keep. ?3: limit.
SELECT id FROM gatepost_delivery INDEXED BY gatepost_delivery_of_webhook WHERE webhook = ?1 AND state >= 2 AND id <= (
    SELECT id FROM gatepost_delivery INDEXED BY gatepost_delivery_of_webhook
    WHERE webhook = ?1 AND state >= 2 ORDER BY id DESC LIMIT 1 OFFSET ?2)
ORDER BY id LIMIT ?3
