-- $1: tasks. The creation time of the newest delivery of each, unless it is hidden or removed.
SELECT t.id, d.created
FROM (SELECT DISTINCT u.id FROM unnest($1::bigint[]) AS u (id)) t
CROSS JOIN LATERAL (SELECT max(n.id) AS id FROM :schema.gatepost_delivery_all n WHERE n.task = t.id) newest
CROSS JOIN LATERAL (SELECT n.owner, n.created FROM :schema.gatepost_delivery_all n WHERE n.id = newest.id LIMIT 1) d
JOIN :schema.gatepost_owner o ON o.owner = d.owner
CROSS JOIN :schema.gatepost_kept k
WHERE newest.id > o.hidden_to AND d.created >= k.created_before
ORDER BY t.id
