SELECT id, webhook, task, tenant, created, message_kept, message_id, body FROM gatepost_delivery WHERE id = ?1
