-- $1: webhook. $2, $3: span of creation. $4: limit. $5: now.
UPDATE gatepost_delivery d SET
    state = 'queued', due = $5, attempts = 0, lost_claims = 0, class = 0, status_info = '', settled = NULL,
    lease_until = NULL
WHERE d.id = ANY (ARRAY(
    SELECT d.id FROM gatepost_webhook w JOIN gatepost_owner o ON o.owner = w.owner AND NOT o.gone
    JOIN gatepost_delivery d ON d.webhook = w.id
    WHERE w.id = $1 AND NOT w.gone AND d.webhook = $1 AND d.state || '' = 'error' AND d.message_kept AND d.created >= $2 AND d.created < $3
    ORDER BY d.webhook, d.id LIMIT $4 FOR UPDATE OF d))
