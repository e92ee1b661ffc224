SELECT 1 FROM gatepost_queue q CROSS JOIN gatepost_live_webhook w ON w.id = q.webhook
WHERE q.id = ?1 AND w.activity <> 'active' AND w.held = 0
