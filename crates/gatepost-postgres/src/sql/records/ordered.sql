-- $1: a webhook that has become one in order. $2: its revision since. Lets it be claimed from, once no claim is under way that had not read
-- of the order (claiming.sql): all that may run beside others was claimed by now. Nothing where it was edited again: that edit does so.
UPDATE :schema.gatepost_webhook SET ordered_after = (SELECT last_value FROM :schema.gatepost_claim)
WHERE id = $1 AND revision = $2::bigint AND ordered_after < 0
