SELECT u.webhooks, u.tasks, u.events, u.bytes
FROM gatepost_record_usage u JOIN gatepost_owner o ON o.owner = u.owner AND NOT o.gone WHERE u.owner = $1
