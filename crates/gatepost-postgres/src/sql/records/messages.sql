-- $1: tasks. Those that are there, in the order of the request.
SELECT t.id, t.revision, t.message
FROM unnest($1::bigint[]) WITH ORDINALITY AS asked (id, ord)
CROSS JOIN LATERAL (
    SELECT t.id, t.revision, t.message FROM :schema.gatepost_task t
    JOIN :schema.gatepost_webhook w ON w.id = t.webhook AND NOT w.gone JOIN :schema.gatepost_owner o ON o.owner = t.owner AND NOT o.gone
    WHERE t.id = asked.id LIMIT 1
) t
ORDER BY asked.ord
