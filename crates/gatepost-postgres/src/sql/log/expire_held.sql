-- $1: created before. $2: limit. $3: reason. Of owners who are held nothing expires.
UPDATE gatepost_delivery SET state = 'error', status_info = $3
WHERE id = ANY (ARRAY(
    SELECT d.id
    FROM gatepost_webhook w JOIN gatepost_owner o ON o.owner = w.owner AND NOT (o.held OR o.gone)
    CROSS JOIN LATERAL (
        SELECT q.id FROM gatepost_delivery q
        WHERE q.webhook = w.id AND q.state = 'queued' AND q.state IN ('queued', 'running') AND q.created < $1
        ORDER BY q.webhook, q.state, q.id LIMIT $2 FOR UPDATE
    ) d
    WHERE w.activity <> 'active' AND NOT w.gone
    ORDER BY d.id LIMIT $2))
