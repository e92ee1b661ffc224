DELETE FROM gatepost_delivery WHERE id = ?1 RETURNING octet_length(body), webhook, task, tenant
