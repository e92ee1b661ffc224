INSERT INTO gatepost_delivery (message_id, webhook, task, body, state, in_order, created, due, lease_until, claims, tenant)
VALUES (?1, ?2, ?3, ?4, ?8 IS NOT NULL, ?5, ?6, ?7, ?8, ?8 IS NOT NULL, ?9)
