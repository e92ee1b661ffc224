-- $1: owner, $2: tenant, $3: webhooks, each or NULL. $4, $5: hours. $6: limit. Newest hour first.
SELECT c.webhook, c.hour, c.sent, c.failed, c.retried, c.milliseconds, c.bytes, c.last_sent
FROM :schema.gatepost_owner o JOIN :schema.gatepost_webhook w ON w.owner = o.owner AND NOT w.gone JOIN :schema.gatepost_count c ON c.webhook = w.id
WHERE NOT o.gone AND ($1::uuid IS NULL OR o.owner = $1) AND ($2::uuid IS NULL OR o.tenant = $2) AND ($3::bigint[] IS NULL OR w.id = ANY ($3))
  AND c.hour >= $4 AND c.hour < $5
ORDER BY c.hour DESC, c.webhook LIMIT $6
