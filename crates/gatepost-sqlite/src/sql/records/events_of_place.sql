-- ?1: realm. ?2: type. ?3: event. A lookup for each owner in the realm.
SELECT :columns
FROM gatepost_owner o INDEXED BY gatepost_owner_of_place
CROSS JOIN gatepost_event e INDEXED BY gatepost_event_of_type ON e.event_type = ?2 AND e.event = ?3 AND e.owner = o.owner
CROSS JOIN gatepost_task t ON t.id = e.task
CROSS JOIN gatepost_webhook w ON w.id = t.webhook
WHERE o.place = ?1 AND o.held = 0 AND e.enabled = 1 AND t.gone = 0 AND w.gone = 0 AND w.id > o.gone_webhooks
