-- $1: ids. $2: limit. $3: now.
UPDATE gatepost_delivery d SET
    state = 'queued', due = $3, attempts = 0, lost_claims = 0, class = 0, status_info = '', settled = NULL,
    lease_until = NULL, in_order = w.in_order
FROM gatepost_webhook w
WHERE w.id = d.webhook AND d.id = ANY (ARRAY(
    SELECT id FROM gatepost_delivery WHERE id = ANY ($1::bigint[]) AND state IN ('sent', 'error')
    ORDER BY id LIMIT $2 FOR UPDATE))
