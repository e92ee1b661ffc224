-- ?1: realm. ?2: type. ?3: event. One range of the index, and a lookup for each event in it.
SELECT :columns
FROM gatepost_event e INDEXED BY gatepost_event_of_type
CROSS JOIN gatepost_owner o ON o.owner = e.owner
CROSS JOIN gatepost_task t ON t.id = e.task
CROSS JOIN gatepost_webhook w ON w.id = t.webhook
WHERE e.event_type = ?2 AND e.event = ?3
    AND o.place = ?1 AND o.held = 0 AND e.enabled = 1 AND t.gone = 0 AND w.gone = 0 AND w.id > o.gone_webhooks
