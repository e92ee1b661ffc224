SELECT u.webhooks, u.tasks, u.events, u.bytes
FROM :schema.gatepost_record_usage u JOIN :schema.gatepost_owner o ON o.owner = u.owner AND NOT o.gone WHERE u.owner = $1
