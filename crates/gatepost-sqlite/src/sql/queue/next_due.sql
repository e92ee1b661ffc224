SELECT due FROM gatepost_queue INDEXED BY gatepost_queue_due WHERE due > ?1 ORDER BY due LIMIT 1
