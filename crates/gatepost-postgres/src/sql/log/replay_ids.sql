-- $1: ids.
WITH picked AS MATERIALIZED (
    SELECT r.id FROM :schema.gatepost_delivery_all r
    JOIN :schema.gatepost_webhook w ON w.id = r.webhook AND NOT w.gone JOIN :schema.gatepost_owner o ON o.owner = r.owner AND NOT o.gone
    CROSS JOIN :schema.gatepost_kept k
    WHERE r.id = ANY ($1::bigint[]) AND r.body IS NOT NULL AND r.id > o.hidden_to AND r.created >= k.created_before
      AND (SELECT e.state FROM :schema.gatepost_outcome_all e WHERE e.delivery = r.id ORDER BY e.token DESC LIMIT 1) IN (2, 3)
)
