-- Takes the marks of at most 10,000 deliveries that changed, and says which. A change that is not committed keeps its mark.
WITH few AS (
    SELECT DISTINCT id FROM :schema.gatepost_changed LIMIT 10000
), taken AS (
    DELETE FROM :schema.gatepost_changed c USING few f WHERE c.id = f.id RETURNING c.id
)
SELECT array_agg(DISTINCT id) FROM taken
