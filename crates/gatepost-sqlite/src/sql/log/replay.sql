-- ?1: delivery. ?2: now. ?3: the lowest state. Ends nothing that is under way: only what has ended waits again.
UPDATE gatepost_delivery SET
    state = 0, due = ?2, attempts = 0, lost_claims = 0, class = 0, status_info = '', settled = NULL, lease_until = NULL,
    in_order = (SELECT w.in_order FROM gatepost_webhook w WHERE w.id = gatepost_delivery.webhook)
WHERE id = ?1 AND state >= ?3 AND message_kept
    AND EXISTS (SELECT 1 FROM gatepost_live_webhook w WHERE w.id = gatepost_delivery.webhook)
