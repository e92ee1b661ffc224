-- $1: ids. $2: reason.
WITH gone AS (
    DELETE FROM gatepost_queue WHERE id = ANY (ARRAY(
        SELECT q.id FROM gatepost_queue q JOIN gatepost_webhook w ON w.id = q.webhook AND NOT w.gone
        JOIN gatepost_owner o ON o.owner = w.owner AND NOT o.gone
        WHERE q.id = ANY ($1::bigint[]) ORDER BY q.id FOR UPDATE OF q))
    RETURNING id, attempts, tries, lost
)
