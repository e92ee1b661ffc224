SELECT :columns
FROM gatepost_owner o INDEXED BY gatepost_owner_of_place
CROSS JOIN gatepost_task t INDEXED BY gatepost_task_of_owner ON t.owner = o.owner
CROSS JOIN gatepost_webhook w ON w.id = t.webhook
WHERE o.place = ?1 AND o.held = 0 AND t.enabled = 1 AND t.gone = 0 AND w.gone = 0 AND w.id > o.gone_webhooks
