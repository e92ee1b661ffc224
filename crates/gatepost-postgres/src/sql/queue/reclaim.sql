-- $1: now. $2: limit. $3: lost claims that end a delivery. $4: its reason. Only one that was claimed alone counts its loss.
UPDATE gatepost_delivery SET
    lost_claims = lost_claims + (class = 2)::int,
    class = 2,
    lease_until = NULL,
    settled = NULL,
    state = CASE WHEN lost_claims + (class = 2)::int >= $3 THEN 'error' ELSE 'queued' END,
    status_info = CASE WHEN lost_claims + (class = 2)::int >= $3 THEN $4 ELSE status_info END,
    due = CASE WHEN lost_claims + (class = 2)::int >= $3 THEN due ELSE $1 END
WHERE id = ANY (ARRAY(
    SELECT d.id FROM gatepost_delivery d JOIN gatepost_webhook w ON w.id = d.webhook AND NOT w.gone
    JOIN gatepost_owner o ON o.owner = d.owner AND NOT o.gone
    WHERE d.state = 'running' AND d.lease_until <= $1
    ORDER BY d.lease_until, d.id LIMIT $2 FOR UPDATE OF d SKIP LOCKED))
RETURNING state
