-- Copies of the deliveries $1 that may be old.
WITH outcomes AS (
    DELETE FROM :schema.gatepost_outcome_ahead WHERE delivery = ANY ($1)
)
DELETE FROM :schema.gatepost_delivery_ahead WHERE id = ANY ($1)
