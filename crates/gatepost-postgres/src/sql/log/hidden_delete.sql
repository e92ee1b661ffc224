-- The picked deliveries, except those that were replayed in between.
WITH running AS MATERIALIZED (
    SELECT u.delivery FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (delivery)
    WHERE (SELECT e.token FROM :schema.gatepost_outcome_all e WHERE e.delivery = u.delivery AND e.token = g.id) IS NULL
), picked AS MATERIALIZED (
    SELECT p.id FROM unnest(current_setting('gatepost.picked')::bigint[]) AS p (id)
    WHERE (SELECT q.id FROM :schema.gatepost_queue q WHERE q.id = p.id) IS NULL
      AND (SELECT true FROM running u WHERE u.delivery = p.id LIMIT 1) IS NULL
), outcomes AS (DELETE FROM :schema.gatepost_outcome WHERE delivery = ANY (ARRAY(SELECT id FROM picked))
), outcomes_old AS (DELETE FROM :schema.gatepost_outcome_old WHERE delivery = ANY (ARRAY(SELECT id FROM picked))
), old AS (DELETE FROM :schema.gatepost_delivery_old WHERE id = ANY (ARRAY(SELECT id FROM picked)))
DELETE FROM :schema.gatepost_delivery WHERE id = ANY (ARRAY(SELECT id FROM picked))
