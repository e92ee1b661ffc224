-- $1: ids. $2: limit. $3: now.
UPDATE gatepost_delivery d SET
    state = 'queued', due = $3, attempts = 0, lost_claims = 0, class = 0, status_info = '', settled = NULL,
    lease_until = NULL
WHERE d.id = ANY (ARRAY(
    SELECT d.id FROM gatepost_delivery d JOIN gatepost_webhook w ON w.id = d.webhook AND NOT w.gone
    JOIN gatepost_owner o ON o.owner = d.owner AND NOT o.gone
    WHERE d.id = ANY ($1::bigint[]) AND d.state || '' IN ('sent', 'error') AND d.message_kept
    ORDER BY d.id LIMIT $2 FOR UPDATE OF d))
