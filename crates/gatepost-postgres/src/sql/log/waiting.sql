-- $1, $4, $5: ids, and the webhook and the attempts that each must have, or NULL. $2: the reason of
-- the end; NULL if it continues to wait: then only deliveries that are due later are taken. $3:
-- now.
-- Rows are removed from the queue; if two calls name the same row, one does not find it.
WITH gone AS (
    DELETE FROM :schema.gatepost_queue WHERE id = ANY (ARRAY(
        SELECT q.id FROM unnest($1::bigint[], $4::bigint[], $5::integer[]) AS asked (id, webhook, attempts)
        JOIN :schema.gatepost_queue q ON q.id = asked.id
        JOIN :schema.gatepost_webhook w ON w.id = q.webhook AND NOT w.gone
        JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
        WHERE q.id = ANY ($1::bigint[]) AND q.webhook = coalesce(asked.webhook, q.webhook)
          AND q.attempts = coalesce(asked.attempts, q.attempts) AND ($2::text IS NOT NULL OR q.due > $3::timestamptz)
        ORDER BY q.id FOR UPDATE OF q))
    RETURNING id, webhook, tries, attempts, class, lost, marked
)
