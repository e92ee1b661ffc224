-- $1: webhook. $2: limit. $3, $4: span of creation. $5, $6: the ids among which that is to be looked for. The webhook is an array
-- of one, and the transaction sorts nothing, as in lists (list/source.rs): the failed ones of others would be walked otherwise.
WITH picked AS MATERIALIZED (
    SELECT r.id FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
    CROSS JOIN :schema.gatepost_kept k
    CROSS JOIN LATERAL (
        SELECT e.delivery FROM :schema.gatepost_outcome_all e
        JOIN :schema.gatepost_delivery_all r ON r.id = e.delivery
        WHERE e.state = 3 AND e.webhook = ANY (ARRAY[w.id]) AND e.delivery >= greatest(o.hidden_to + 1, $5) AND e.delivery < $6
          AND r.body IS NOT NULL AND r.created >= k.created_before AND r.created >= $3 AND r.created < $4
          AND (SELECT n.token FROM :schema.gatepost_outcome_all n WHERE n.delivery = e.delivery ORDER BY n.token DESC LIMIT 1) = e.token
        ORDER BY e.webhook, e.delivery LIMIT $2) f (id)
    CROSS JOIN LATERAL (SELECT f.id) r
    WHERE w.id = $1 AND NOT w.gone
)
