SELECT 1 FROM gatepost_webhook w INDEXED BY gatepost_webhook_of_owner
CROSS JOIN gatepost_queue q INDEXED BY gatepost_queue_of_webhook ON q.webhook = w.id
WHERE w.owner = ?1 AND w.gone = 0 LIMIT 1
