-- $1: limit. Deliveries that had not ended when their partition was dropped, and have ended.
WITH old AS MATERIALIZED (
    SELECT r.id FROM :schema.gatepost_delivery_old r JOIN :schema.gatepost_owner o ON o.owner = r.owner CROSS JOIN :schema.gatepost_kept k
    WHERE NOT (r.id > o.hidden_to AND r.created >= k.created_before)
      AND (SELECT q.id FROM :schema.gatepost_queue q WHERE q.id = r.id) IS NULL
      AND r.id NOT IN (SELECT u.delivery FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (delivery) WHERE u.delivery IS NOT NULL)
    ORDER BY r.id LIMIT $1
), outcomes AS (DELETE FROM :schema.gatepost_outcome WHERE delivery = ANY (ARRAY(SELECT id FROM old))
), outcomes_old AS (DELETE FROM :schema.gatepost_outcome_old WHERE delivery = ANY (ARRAY(SELECT id FROM old)))
DELETE FROM :schema.gatepost_delivery_old WHERE id = ANY (ARRAY(SELECT id FROM old))
