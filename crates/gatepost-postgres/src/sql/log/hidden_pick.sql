-- $1: owner. $2: the delivery up to which they are hidden. $3: limit. The oldest ended deliveries.
WITH running AS MATERIALIZED (
    SELECT u.delivery FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (delivery)
    WHERE (SELECT e.token FROM :schema.gatepost_outcome_all e WHERE e.delivery = u.delivery AND e.token = g.id) IS NULL
), picked AS MATERIALIZED (
    SELECT d.id FROM :schema.gatepost_delivery_all d
    WHERE d.owner = ANY (ARRAY[$1::uuid]) AND d.id <= $2 AND (SELECT q.id FROM :schema.gatepost_queue q WHERE q.id = d.id) IS NULL
      AND (SELECT true FROM running u WHERE u.delivery = d.id LIMIT 1) IS NULL
    ORDER BY d.owner, d.id LIMIT $3
)
