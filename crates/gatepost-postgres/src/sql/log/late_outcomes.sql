-- $1, $2: a range of ids. Outcomes that were stored after their deliveries had been moved.
WITH gone AS (
    DELETE FROM :schema.gatepost_outcome WHERE delivery = ANY (ARRAY(SELECT d.id FROM :schema.gatepost_delivery_old d WHERE d.id >= $1 AND d.id < $2)) RETURNING *
)
INSERT INTO :schema.gatepost_outcome_old SELECT * FROM gone
