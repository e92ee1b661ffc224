-- $1: a webhook that was switched to delivery in order. $2: its revision after that. Permits claims
-- again when no claim is under way that had not read the order (claiming.sql): all deliveries that
-- may run together with others are claimed by then. Does nothing if it was edited again: that edit
-- does so.
UPDATE :schema.gatepost_webhook SET ordered_after = (SELECT last_value FROM :schema.gatepost_claim)
WHERE id = $1 AND revision = $2::bigint AND ordered_after < 0
