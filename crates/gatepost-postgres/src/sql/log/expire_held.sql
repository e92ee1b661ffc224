-- $1: created before. $2: limit. $3: reason.
UPDATE gatepost_delivery SET state = 'error', status_info = $3
WHERE id = ANY (ARRAY(
    SELECT d.id
    FROM gatepost_webhook w
    CROSS JOIN LATERAL (
        SELECT q.id FROM gatepost_delivery q
        WHERE q.webhook = w.id AND q.state = 'queued' AND q.created < $1
        ORDER BY q.webhook, q.id LIMIT $2 FOR UPDATE
    ) d
    WHERE w.activity <> 'active'
    ORDER BY d.id LIMIT $2))
