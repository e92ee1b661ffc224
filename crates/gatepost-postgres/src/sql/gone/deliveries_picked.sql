-- The deliveries that were picked.
WITH removed AS (
    DELETE FROM gatepost_delivery WHERE id = ANY (current_setting('gatepost.picked')::bigint[]) RETURNING 1
)
SELECT count(*) FROM removed
