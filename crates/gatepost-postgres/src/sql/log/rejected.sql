-- $1: owner, $2: tenant, $3: webhooks, each or NULL. $4, $5: minutes. $6: limit. Newest minute first.
SELECT d.webhook, d.reason, d.minute, d.count
FROM :schema.gatepost_owner o JOIN :schema.gatepost_webhook w ON w.owner = o.owner AND NOT w.gone JOIN :schema.gatepost_rejected d ON d.webhook = w.id
WHERE NOT o.gone AND ($1::uuid IS NULL OR o.owner = $1) AND ($2::uuid IS NULL OR o.tenant = $2) AND ($3::bigint[] IS NULL OR w.id = ANY ($3))
  AND d.minute >= $4 AND d.minute < $5
ORDER BY d.minute DESC, d.webhook, d.reason DESC LIMIT $6
