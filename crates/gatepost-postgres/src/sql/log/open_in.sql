-- $1, $2: a range of ids. $3: limit. Moves deliveries that have not ended out of their partition,
-- with all their outcomes.
WITH open AS MATERIALIZED (
    SELECT x.id FROM (
        SELECT q.id FROM :schema.gatepost_queue q WHERE q.id >= $1 AND q.id < $2
        UNION SELECT u.delivery FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (delivery) WHERE u.delivery >= $1 AND u.delivery < $2) x
    WHERE (SELECT d.id FROM :schema.gatepost_delivery d WHERE d.id = x.id) IS NOT NULL
    ORDER BY x.id LIMIT $3
), gone AS (DELETE FROM :schema.gatepost_delivery WHERE id = ANY (ARRAY(SELECT id FROM open)) RETURNING *
), kept AS (INSERT INTO :schema.gatepost_delivery_old SELECT * FROM gone
), gone_outcomes AS (DELETE FROM :schema.gatepost_outcome WHERE delivery = ANY (ARRAY(SELECT id FROM open)) RETURNING *
), kept_outcomes AS (INSERT INTO :schema.gatepost_outcome_old SELECT * FROM gone_outcomes)
SELECT count(*) AS moved FROM open
