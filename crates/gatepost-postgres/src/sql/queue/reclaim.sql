-- $1: now. $2: limit. $3: lost claims that end a delivery. $4: its reason.
UPDATE gatepost_delivery SET
    lost_claims = lost_claims + 1,
    lease_until = NULL,
    settled = NULL,
    state = CASE WHEN lost_claims + 1 >= $3 THEN 'error' ELSE 'queued' END,
    status_info = CASE WHEN lost_claims + 1 >= $3 THEN $4 ELSE status_info END,
    due = CASE WHEN lost_claims + 1 >= $3 THEN due ELSE $1 END
WHERE id = ANY (ARRAY(
    SELECT id FROM gatepost_delivery WHERE state = 'running' AND lease_until <= $1
    ORDER BY lease_until, id LIMIT $2 FOR UPDATE SKIP LOCKED))
RETURNING state
