-- $1: ids. $2: reason.
WITH gone AS (
    DELETE FROM :schema.gatepost_queue WHERE id = ANY (ARRAY(
        SELECT q.id FROM :schema.gatepost_queue q JOIN :schema.gatepost_webhook w ON w.id = q.webhook AND NOT w.gone
        JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
        WHERE q.id = ANY ($1::bigint[]) ORDER BY q.id FOR UPDATE OF q))
    RETURNING id, attempts, tries, lost
)
