-- Of the deliveries $1, those that have ended. What the first version has not is put in its place (`ahead.rs`).
INSERT INTO :schema.gatepost_delivery_ahead (id, webhook, owner, tenant, task, created, message_id, body)
SELECT d.id, d.webhook, d.owner, d.tenant, d.task, d.created, d.message_id, CASE WHEN d.message_kept THEN d.body END
FROM :schema.gatepost_delivery d LEFT JOIN :schema.gatepost_webhook w ON w.id = d.webhook
WHERE d.id = ANY ($1) AND d.state IN ('sent', 'error')
ORDER BY d.id
