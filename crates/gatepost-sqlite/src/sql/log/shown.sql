SELECT w.owner, o.hidden_to FROM gatepost_webhook w CROSS JOIN gatepost_owner o ON o.owner = w.owner
WHERE w.id = ?1 AND w.gone = 0 AND w.id > o.gone_webhooks
