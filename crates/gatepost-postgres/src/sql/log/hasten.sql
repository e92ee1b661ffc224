-- $1: ids. $2: now. What waits for later is due now. No row of the queue is updated: each goes, and comes again.
WITH gone AS (
    DELETE FROM :schema.gatepost_queue WHERE id = ANY (ARRAY(
        SELECT q.id FROM :schema.gatepost_queue q JOIN :schema.gatepost_webhook w ON w.id = q.webhook AND NOT w.gone
        JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
        WHERE q.id = ANY ($1::bigint[]) AND q.due > $2 ORDER BY q.id FOR UPDATE OF q))
    RETURNING id, webhook, tries, attempts, class, lost, marked
), again AS (
    INSERT INTO :schema.gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    SELECT id, webhook, $2, tries, attempts, class, lost, marked FROM gone
)
SELECT webhook, class, count(*) AS hastened FROM gone GROUP BY webhook, class
