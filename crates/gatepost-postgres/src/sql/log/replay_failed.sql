-- $1: webhook. $2, $3: span of creation. $4: limit. $5: now.
UPDATE gatepost_delivery d SET
    state = 'queued', due = $5, attempts = 0, lost_claims = 0, class = 0, status_info = '', settled = NULL,
    lease_until = NULL, in_order = w.in_order
FROM gatepost_webhook w
WHERE w.id = d.webhook AND d.id = ANY (ARRAY(
    SELECT id FROM gatepost_delivery WHERE webhook = $1 AND state = 'error' AND created >= $2 AND created < $3
    ORDER BY id LIMIT $4 FOR UPDATE))
