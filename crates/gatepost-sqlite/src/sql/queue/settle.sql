-- ?1 delivery, ?2 its claims, ?3 state, ?4 due (queued only), ?5 status_info, ?6 whether an attempt was made, ?7.. the attempt,
-- ?10 whether it is given back as it was.
UPDATE gatepost_delivery SET
    state = ?3,
    due = coalesce(?4, due),
    lease_until = NULL,
    settled = ?2,
    status_info = ?5,
    class = CASE WHEN ?6 THEN 1 WHEN class = 2 AND NOT ?10 THEN attempts > 0 ELSE class END,
    attempts = attempts + ?6,
    logged = logged + ?6,
    last_attempt = CASE WHEN ?6 THEN ?7 ELSE last_attempt END,
    response_status = CASE WHEN ?6 THEN ?8 ELSE response_status END,
    duration_us = CASE WHEN ?6 THEN ?9 ELSE duration_us END
WHERE id = ?1 AND state = 1 AND claims = ?2
    AND EXISTS (SELECT 1 FROM gatepost_live_webhook w WHERE w.id = gatepost_delivery.webhook)
RETURNING logged
