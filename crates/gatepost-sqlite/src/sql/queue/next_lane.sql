-- The next lane in which something waits: one probe of gatepost_delivery_waiting.
SELECT webhook, class, due FROM gatepost_delivery INDEXED BY gatepost_delivery_waiting
WHERE state = 0 AND (webhook, class) > (?1, ?2)
ORDER BY webhook, class, due, id LIMIT 1
