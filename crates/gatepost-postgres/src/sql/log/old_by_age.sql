SELECT id FROM gatepost_delivery WHERE state IN ('sent', 'error') AND created < $1 ORDER BY id LIMIT $2 FOR UPDATE
