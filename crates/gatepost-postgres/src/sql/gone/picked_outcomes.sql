-- Deletes the outcomes of the picked deliveries.
WITH old AS (
    DELETE FROM :schema.gatepost_outcome_old WHERE delivery = ANY (current_setting('gatepost.picked')::bigint[])
)
DELETE FROM :schema.gatepost_outcome WHERE delivery = ANY (current_setting('gatepost.picked')::bigint[])
