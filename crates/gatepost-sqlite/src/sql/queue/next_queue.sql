-- The next queue with waiting deliveries: one probe of gatepost_queue_class.
SELECT webhook, class, due FROM gatepost_queue INDEXED BY gatepost_queue_class
WHERE (webhook, class) > (?1, ?2)
ORDER BY webhook, class, due LIMIT 1
