-- $1: created before. $2: reason. $3: now. $4: limit. $5: the id up to which to search. Deliveries
-- of suspended owners do not expire.
WITH gone AS (
    DELETE FROM :schema.gatepost_queue WHERE id = ANY (ARRAY(
        SELECT q.id FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT (o.held OR o.gone)
        CROSS JOIN LATERAL (
            SELECT q.id FROM :schema.gatepost_queue q
            WHERE q.webhook = ANY (ARRAY[w.id]) AND q.id < $5 AND (SELECT r.created FROM :schema.gatepost_delivery_all r WHERE r.id = q.id) < $1
            ORDER BY q.webhook, q.id LIMIT $4 FOR UPDATE OF q) q
        WHERE w.activity <> 'active' AND NOT w.gone
        ORDER BY q.id LIMIT $4))
    RETURNING id, attempts, tries, lost
)
