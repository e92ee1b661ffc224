-- ?1: now. ?2: limit. ?3: lost claims that end a delivery. ?4: its reason. Only a claim of it alone counts as lost.
UPDATE gatepost_delivery SET
    lost_claims = lost_claims + (class = 2),
    class = 2,
    lease_until = NULL,
    settled = NULL,
    state = CASE WHEN lost_claims + (class = 2) >= ?3 THEN 3 ELSE 0 END,
    status_info = CASE WHEN lost_claims + (class = 2) >= ?3 THEN ?4 ELSE status_info END,
    due = CASE WHEN lost_claims + (class = 2) >= ?3 THEN due ELSE ?1 END
WHERE id IN (
    SELECT id FROM gatepost_delivery INDEXED BY gatepost_delivery_leased
    WHERE state = 1 AND lease_until <= ?1
        AND EXISTS (SELECT 1 FROM gatepost_live_webhook w WHERE w.id = gatepost_delivery.webhook)
    ORDER BY lease_until, id LIMIT ?2)
RETURNING state
