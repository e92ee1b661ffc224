-- $1: owner, or NULL. $2: tenant, or NULL. $3: limit. Newest minute first.
SELECT d.webhook, d.reason, d.minute, d.count
FROM :schema.gatepost_owner o JOIN :schema.gatepost_webhook w ON w.owner = o.owner AND NOT w.gone JOIN :schema.gatepost_dropped d ON d.webhook = w.id
WHERE NOT o.gone AND ($1::uuid IS NULL OR o.owner = $1) AND ($2::uuid IS NULL OR o.tenant = $2)
ORDER BY d.minute DESC, d.webhook, d.reason DESC LIMIT $3
