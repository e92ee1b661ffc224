-- $1: limit. $2: reason. Ends deliveries that waited when their owner was moved.
WITH gone AS (
    DELETE FROM :schema.gatepost_queue WHERE ctid = ANY (ARRAY(
        SELECT q.tid FROM :schema.gatepost_owner o JOIN :schema.gatepost_webhook w ON w.owner = o.owner AND NOT w.gone
        CROSS JOIN LATERAL (
            SELECT q.ctid AS tid FROM :schema.gatepost_queue q WHERE q.webhook = ANY (ARRAY[w.id]) AND (SELECT d.moves FROM (
                SELECT d.moves FROM :schema.gatepost_delivery d WHERE d.id = q.id
                UNION ALL SELECT d.moves FROM :schema.gatepost_delivery_old d WHERE d.id = q.id LIMIT 1) d) < o.moving
            ORDER BY q.webhook, q.id LIMIT $1 FOR UPDATE SKIP LOCKED) q
        WHERE o.moving IS NOT NULL LIMIT $1))
    RETURNING id, tries, attempts, lost
)
