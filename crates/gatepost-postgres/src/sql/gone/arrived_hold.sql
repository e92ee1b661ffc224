-- Locks the owners who may have deliveries from before a move: the next statement sees all that
-- were stored until then. An owner who is being moved again is checked later.
SELECT set_config('gatepost.moving', ARRAY(
    SELECT o.owner FROM :schema.gatepost_owner o WHERE o.moving IS NOT NULL AND NOT o.gone ORDER BY o.owner FOR NO KEY UPDATE SKIP LOCKED)::text, true)
