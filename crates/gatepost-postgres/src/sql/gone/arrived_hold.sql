-- Locks the owners of whom something is left of before a move: the next statement sees all that was stored until then. One who is moved
-- again just now is looked at later.
SELECT set_config('gatepost.moving', ARRAY(
    SELECT o.owner FROM :schema.gatepost_owner o WHERE o.moving IS NOT NULL AND NOT o.gone ORDER BY o.owner FOR NO KEY UPDATE SKIP LOCKED)::text, true)
