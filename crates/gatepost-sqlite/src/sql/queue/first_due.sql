SELECT due FROM gatepost_queue INDEXED BY gatepost_queue_class WHERE webhook = ?1 AND class = ?2 ORDER BY due LIMIT 1
