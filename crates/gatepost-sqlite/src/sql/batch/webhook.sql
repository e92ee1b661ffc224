-- `sends`: it is active, and its owner is neither suspended nor moving.
SELECT owner, place, revision, in_order, ordered_to, activity = 'active' AND held = 0 AND moved = 0 AS sends
FROM gatepost_live_webhook WHERE id = ?1
