-- $1: a time. Deliveries that were created earlier are no longer shown after they have ended. $2:
-- an id; all before it were created earlier.
UPDATE :schema.gatepost_kept SET created_before = $1, first = $2 WHERE created_before < $1
