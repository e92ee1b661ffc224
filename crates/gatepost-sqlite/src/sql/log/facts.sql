SELECT id, webhook, task, tenant, created, message_kept, message_id, '' AS body, cause FROM gatepost_delivery WHERE id = ?1
