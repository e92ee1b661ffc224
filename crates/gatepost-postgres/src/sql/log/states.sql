-- $1: ids. The states of the visible ones: as in rows.sql, without the columns that cost more to
-- read.
WITH running AS MATERIALIZED (
    SELECT u.delivery, max(g.id) AS token FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (delivery)
    WHERE u.delivery = ANY ($1::bigint[]) GROUP BY u.delivery
)
SELECT r.id, r.webhook, r.owner, r.tenant, r.task, r.created, coalesce(l.class, '') AS class,
    CASE WHEN q.id IS NOT NULL THEN 'queued' WHEN u.delivery IS NOT NULL THEN 'running'
         WHEN l.state = 2 THEN 'sent' WHEN l.state = 3 THEN 'error' ELSE 'running' END AS state
FROM unnest($1::bigint[]) AS asked (id)
CROSS JOIN LATERAL (
    SELECT d.id, d.webhook, d.owner, d.tenant, d.task, d.created FROM :schema.gatepost_delivery d WHERE d.id = asked.id
    UNION ALL SELECT d.id, d.webhook, d.owner, d.tenant, d.task, d.created FROM :schema.gatepost_delivery_old d WHERE d.id = asked.id) r
CROSS JOIN LATERAL (SELECT w.id FROM :schema.gatepost_webhook w WHERE w.id = r.webhook AND NOT w.gone LIMIT 1) w
CROSS JOIN LATERAL (SELECT o.hidden_to FROM :schema.gatepost_owner o WHERE o.owner = r.owner AND NOT o.gone LIMIT 1) o
CROSS JOIN :schema.gatepost_kept k
LEFT JOIN LATERAL (
    SELECT q.id, q.due, q.attempts, q.tries, q.lost FROM :schema.gatepost_queue q WHERE q.id = r.id LIMIT 1) q ON true
LEFT JOIN LATERAL (
    SELECT e.token, e.state, e.class FROM (
        SELECT e.token, e.state, e.class FROM :schema.gatepost_outcome e WHERE e.delivery = r.id
        UNION ALL SELECT e.token, e.state, e.class FROM :schema.gatepost_outcome_old e WHERE e.delivery = r.id) e
    ORDER BY e.token DESC LIMIT 1) l ON true
LEFT JOIN running u ON u.delivery = r.id AND u.token > coalesce(l.token, 0)
WHERE q.id IS NOT NULL OR u.delivery IS NOT NULL OR r.id > o.hidden_to AND r.created >= k.created_before
