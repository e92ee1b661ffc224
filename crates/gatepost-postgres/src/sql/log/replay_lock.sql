-- Of two replays of the same deliveries one comes first: the picked deliveries are locked, and the
-- next statement checks them again.
, locked AS (
    SELECT d.id FROM :schema.gatepost_delivery d WHERE d.id = ANY (ARRAY(SELECT id FROM picked)) ORDER BY d.id FOR NO KEY UPDATE
), locked_old AS (
    SELECT d.id FROM :schema.gatepost_delivery_old d WHERE d.id = ANY (ARRAY(SELECT id FROM picked)) ORDER BY d.id FOR NO KEY UPDATE
)
SELECT set_config('gatepost.picked', ARRAY(SELECT id FROM locked UNION ALL SELECT id FROM locked_old)::text, true)
