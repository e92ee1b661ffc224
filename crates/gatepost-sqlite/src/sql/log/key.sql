SELECT webhook, task, tenant, created, message_kept FROM gatepost_delivery WHERE id = ?1
