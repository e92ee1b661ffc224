-- $1: limit. Deliveries that returned to the queue while they were removed: a settlement may have
-- been under way.
DELETE FROM :schema.gatepost_queue WHERE id = ANY (ARRAY(
    SELECT q.id FROM :schema.gatepost_webhook w CROSS JOIN LATERAL (
        SELECT q.id FROM :schema.gatepost_queue q WHERE q.webhook = ANY (ARRAY[w.id])
        ORDER BY q.webhook, q.id LIMIT $1) q
    WHERE w.gone LIMIT $1))
