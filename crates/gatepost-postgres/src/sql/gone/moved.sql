-- $1: limit. $2: reason. Ends what waited when its owner was moved.
UPDATE gatepost_delivery SET state = 'error', status_info = $2 WHERE id = ANY (ARRAY(
    SELECT d.id FROM gatepost_owner o JOIN gatepost_webhook w ON w.owner = o.owner AND NOT w.gone
    CROSS JOIN LATERAL (
        SELECT d.id FROM gatepost_delivery d
        WHERE d.webhook = w.id AND d.state = 'queued' AND d.state IN ('queued', 'running') AND d.id <= o.moving
        ORDER BY d.webhook, d.state, d.id LIMIT $1 FOR UPDATE SKIP LOCKED) d
    WHERE o.moving IS NOT NULL LIMIT $1))
