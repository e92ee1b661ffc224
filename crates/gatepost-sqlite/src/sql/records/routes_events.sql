SELECT :columns
FROM gatepost_owner o INDEXED BY gatepost_owner_of_place
CROSS JOIN gatepost_event e INDEXED BY gatepost_event_of_owner ON e.owner = o.owner
CROSS JOIN gatepost_task t ON t.id = e.task
CROSS JOIN gatepost_webhook w ON w.id = t.webhook
WHERE o.place = ?1 AND o.held = 0 AND e.enabled = 1 AND t.gone = 0 AND w.gone = 0 AND w.id > o.gone_webhooks
