-- $1: limit. $2: the id up to which deliveries may be hidden by age. For stores whose partitions
-- cannot be dropped.
WITH old AS MATERIALIZED (
    SELECT d.id FROM :schema.gatepost_delivery d CROSS JOIN :schema.gatepost_kept k
    WHERE d.id < $2 AND d.created < k.created_before AND (SELECT q.id FROM :schema.gatepost_queue q WHERE q.id = d.id) IS NULL
      AND d.id NOT IN (SELECT u.delivery FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (delivery) WHERE u.delivery IS NOT NULL)
    ORDER BY d.id LIMIT $1
), outcomes AS (DELETE FROM :schema.gatepost_outcome WHERE delivery = ANY (ARRAY(SELECT id FROM old)))
DELETE FROM :schema.gatepost_delivery WHERE id = ANY (ARRAY(SELECT id FROM old))
