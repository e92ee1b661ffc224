-- $1: webhook. $2, $3: ids, and the attempts that each had. $4: now. $5: what it is called. $6: whether the messages are kept. What waits and
-- is as it was handed out leaves the queue and ends as sent; of two calls with the same one finds it gone.
WITH gone AS (
    DELETE FROM :schema.gatepost_queue WHERE id = ANY (ARRAY(
        SELECT q.id FROM unnest($2::bigint[], $3::integer[]) AS asked (id, attempts)
        JOIN :schema.gatepost_queue q ON q.id = asked.id AND q.attempts = asked.attempts AND q.webhook = $1
        JOIN :schema.gatepost_webhook w ON w.id = q.webhook AND NOT w.gone
        JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
        WHERE q.id = ANY ($2::bigint[]) ORDER BY q.id FOR UPDATE OF q))
    RETURNING id, attempts, tries, lost
), done AS (
    INSERT INTO :schema.gatepost_outcome (delivery, token, attempts, tries, state, lost, started, duration_us, class, status_info)
    SELECT g.id, nextval(':schema.gatepost_claim'), g.attempts + 1, g.tries + 1, 2, g.lost, $4, 0, 'ok', $5 FROM gone g
    RETURNING delivery
), unkept AS (
    UPDATE :schema.gatepost_delivery SET body = NULL WHERE id = ANY (ARRAY(SELECT n.delivery FROM done n WHERE NOT $6))
), unkept_old AS (
    UPDATE :schema.gatepost_delivery_old SET body = NULL WHERE id = ANY (ARRAY(SELECT n.delivery FROM done n WHERE NOT $6))
)
SELECT r.id, octet_length(r.body)::bigint AS bytes FROM done n CROSS JOIN LATERAL (
    SELECT d.id, d.body FROM :schema.gatepost_delivery d WHERE d.id = n.delivery
    UNION ALL SELECT d.id, d.body FROM :schema.gatepost_delivery_old d WHERE d.id = n.delivery
    LIMIT 1) r
ORDER BY r.id
