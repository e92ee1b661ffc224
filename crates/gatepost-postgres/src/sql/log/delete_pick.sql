-- $1: the delivery, if it is visible.
SELECT set_config('gatepost.picked', ARRAY(
    SELECT r.id FROM :schema.gatepost_delivery_all r
    JOIN :schema.gatepost_webhook w ON w.id = r.webhook AND NOT w.gone JOIN :schema.gatepost_owner o ON o.owner = r.owner AND NOT o.gone
    CROSS JOIN :schema.gatepost_kept k
    WHERE r.id = $1 AND (r.id > o.hidden_to AND r.created >= k.created_before
        OR (SELECT q.id FROM :schema.gatepost_queue q WHERE q.id = $1) IS NOT NULL
        OR (SELECT max(g.id) FROM :schema.gatepost_running g WHERE g.ids @> ARRAY[$1]::bigint[])
           > coalesce((SELECT max(n.token) FROM :schema.gatepost_outcome_all n WHERE n.delivery = $1), 0))
)::text, true)
