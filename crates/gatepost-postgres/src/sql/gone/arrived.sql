-- Returns those of these owners (arrived_hold.sql) of whom no delivery from before their move is
-- left that has not ended.
UPDATE :schema.gatepost_owner o SET moving = NULL
WHERE o.owner = ANY (current_setting('gatepost.moving')::uuid[]) AND (
    SELECT min(q.id) FROM :schema.gatepost_webhook w CROSS JOIN LATERAL (
        SELECT q.id FROM :schema.gatepost_queue q WHERE q.webhook = ANY (ARRAY[w.id]) AND (SELECT d.moves FROM (
                SELECT d.moves FROM :schema.gatepost_delivery d WHERE d.id = q.id
                UNION ALL SELECT d.moves FROM :schema.gatepost_delivery_old d WHERE d.id = q.id LIMIT 1) d) < o.moving ORDER BY q.webhook, q.id LIMIT 1) q
    WHERE w.owner = o.owner AND NOT w.gone) IS NULL
AND o.owner NOT IN (
    SELECT d.owner FROM :schema.gatepost_running r CROSS JOIN LATERAL unnest(r.ids) AS u (id) CROSS JOIN LATERAL (
        SELECT d.owner, d.moves FROM :schema.gatepost_delivery d WHERE d.id = u.id
        UNION ALL SELECT d.owner, d.moves FROM :schema.gatepost_delivery_old d WHERE d.id = u.id LIMIT 1) d
    JOIN :schema.gatepost_owner m ON m.owner = d.owner AND m.moving > d.moves
    WHERE (SELECT o.token FROM :schema.gatepost_outcome_all o WHERE o.delivery = u.id AND o.token = r.id) IS NULL)
RETURNING o.owner
