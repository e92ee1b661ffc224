INSERT INTO gatepost_delivery (id, webhook, task, tenant, created, message_kept, message_id, body, cause)
VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8)
