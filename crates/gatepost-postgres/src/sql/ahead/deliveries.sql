-- $1: after this delivery, $2: up to this one. What has ended; a row that is there already was copied by another process,
-- and counts as changed if it changed since.
INSERT INTO :schema.gatepost_delivery_ahead (id, webhook, owner, tenant, task, created, message_id, body)
SELECT d.id, d.webhook, coalesce(d.owner, w.owner), d.tenant, d.task, d.created, d.message_id, CASE WHEN d.message_kept THEN d.body END
FROM :schema.gatepost_delivery d LEFT JOIN :schema.gatepost_webhook w ON w.id = d.webhook
WHERE d.id > $1 AND d.id <= $2 AND d.state IN ('sent', 'error')
ORDER BY d.id
ON CONFLICT DO NOTHING
