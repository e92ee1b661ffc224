-- $1: the delivery, if it is visible. $2: limit. Its attempts, numbered in the order of their
-- claims, the last first: all are numbered, and only the details of the requested ones are fetched.
SELECT row_number() OVER (ORDER BY e.token) AS number, e.token, e.started, e.duration_us, e.class, e.status, e.kept_bytes, e.detail
FROM :schema.gatepost_delivery_all r
JOIN :schema.gatepost_webhook w ON w.id = r.webhook AND NOT w.gone JOIN :schema.gatepost_owner o ON o.owner = r.owner AND NOT o.gone
CROSS JOIN :schema.gatepost_kept k
JOIN :schema.gatepost_outcome_all e ON e.delivery = r.id AND e.started IS NOT NULL
WHERE r.id = $1 AND (r.id > o.hidden_to AND r.created >= k.created_before
    OR (SELECT q.id FROM :schema.gatepost_queue q WHERE q.id = $1) IS NOT NULL
    OR (SELECT max(g.id) FROM :schema.gatepost_running g WHERE g.ids @> ARRAY[$1]::bigint[])
       > (SELECT max(n.token) FROM :schema.gatepost_outcome_all n WHERE n.delivery = $1))
ORDER BY number DESC LIMIT $2
