-- The webhook of deliveries that may be claimed: active, its owner neither held nor on the move, itself not on the way
-- to being one in order.
SELECT owner, place, revision, in_order FROM gatepost_live_webhook
WHERE id = ?1 AND activity = 'active' AND held = 0 AND moved = 0 AND ordered_to IS NULL
