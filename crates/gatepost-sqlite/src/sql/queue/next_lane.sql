-- The next queue with waiting deliveries: one probe of gatepost_queue_lane.
SELECT webhook, class, due FROM gatepost_queue INDEXED BY gatepost_queue_lane
WHERE (webhook, class) > (?1, ?2)
ORDER BY webhook, class, due LIMIT 1
