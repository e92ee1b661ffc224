-- ?1: owner. ?2: the last delivery from before the move. ?3: limit.
SELECT q.id FROM gatepost_webhook w INDEXED BY gatepost_webhook_of_owner
CROSS JOIN gatepost_queue q INDEXED BY gatepost_queue_of_webhook ON q.webhook = w.id AND q.id <= ?2
WHERE w.owner = ?1 AND w.gone = 0 LIMIT ?3
