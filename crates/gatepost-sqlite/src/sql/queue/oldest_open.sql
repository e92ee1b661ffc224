-- Of a webhook in order: the oldest delivery that has not ended. Named, because the planner
-- would rather walk all that the webhook ever had.
SELECT id, state, class, due FROM gatepost_delivery INDEXED BY gatepost_delivery_open
WHERE in_order = 1 AND state < 2 AND webhook = ?1 ORDER BY id LIMIT 1
