SELECT id, webhook, task, tenant, created, message_kept, message_id, body, cause FROM gatepost_delivery WHERE id = ?1
