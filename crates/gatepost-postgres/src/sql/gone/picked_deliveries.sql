-- Deletes the picked deliveries.
WITH old AS (
    DELETE FROM :schema.gatepost_delivery_old WHERE id = ANY (current_setting('gatepost.picked')::bigint[]) RETURNING 1
), removed AS (
    DELETE FROM :schema.gatepost_delivery WHERE id = ANY (current_setting('gatepost.picked')::bigint[]) RETURNING 1
)
SELECT (SELECT count(*) FROM old) + (SELECT count(*) FROM removed)
