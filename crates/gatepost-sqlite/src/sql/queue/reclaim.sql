-- ?1: now. ?2: limit. ?3: lost claims that end a delivery. ?4: its reason.
UPDATE gatepost_delivery SET
    lost_claims = lost_claims + 1,
    lease_until = NULL,
    settled = NULL,
    state = CASE WHEN lost_claims + 1 >= ?3 THEN 3 ELSE 0 END,
    status_info = CASE WHEN lost_claims + 1 >= ?3 THEN ?4 ELSE status_info END,
    due = CASE WHEN lost_claims + 1 >= ?3 THEN due ELSE ?1 END
WHERE id IN (
    SELECT id FROM gatepost_delivery WHERE state = 1 AND lease_until <= ?1 ORDER BY lease_until, id LIMIT ?2)
RETURNING state
