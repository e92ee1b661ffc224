-- $1: ids, $2: whether with the messages. The visible deliveries, in the order of the request.
-- Every lookup is a probe, however many rows others have: LIMIT 1 prevents a merge with the whole
-- table. The state of a delivery follows from its rows: it waits, it runs (under a token without an
-- outcome), or its last outcome has the state.
WITH running AS MATERIALIZED (
    SELECT DISTINCT ON (u.delivery) u.delivery, g.id AS token, g.lease_until, coalesce(g.tries[u.pos], 0) AS tries,
        coalesce(g.attempts[u.pos], 0) AS attempts, coalesce(g.lost[u.pos], 0) AS lost
    FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) WITH ORDINALITY AS u (delivery, pos)
    WHERE u.delivery = ANY ($1::bigint[])
    ORDER BY u.delivery, g.id DESC
)
SELECT r.id, r.message_id, r.webhook, r.owner, r.tenant, r.task, CASE WHEN $2::boolean THEN coalesce(r.body, '') ELSE '' END AS body, r.body IS NOT NULL AS message_kept, r.created, r.cause,
    CASE WHEN q.id IS NOT NULL THEN 'queued' WHEN u.delivery IS NOT NULL THEN 'running'
         WHEN l.state = 2 THEN 'sent' WHEN l.state = 3 THEN 'error' ELSE 'running' END AS state,
    coalesce(q.due, r.created) AS due, CASE WHEN q.id IS NULL THEN u.lease_until END AS lease_until,
    coalesce(q.attempts, u.attempts, l.attempts, 0)::bigint AS attempts, coalesce(q.tries, u.tries, l.tries, 0)::bigint AS tries,
    coalesce(q.lost, u.lost, l.lost, 0)::bigint AS lost_claims,
    coalesce(l.class, '') AS class, coalesce(l.status_info, '') AS status_info,
    a.started AS last_attempt, a.status AS response_status, a.duration_us
FROM unnest($1::bigint[]) WITH ORDINALITY AS asked (id, ord)
CROSS JOIN LATERAL (
    SELECT d.* FROM :schema.gatepost_delivery d WHERE d.id = asked.id UNION ALL SELECT d.* FROM :schema.gatepost_delivery_old d WHERE d.id = asked.id) r
CROSS JOIN LATERAL (SELECT w.id FROM :schema.gatepost_webhook w WHERE w.id = r.webhook AND NOT w.gone LIMIT 1) w
CROSS JOIN LATERAL (SELECT o.hidden_to FROM :schema.gatepost_owner o WHERE o.owner = r.owner AND NOT o.gone LIMIT 1) o
CROSS JOIN :schema.gatepost_kept k
LEFT JOIN LATERAL (
    SELECT q.id, q.due, q.attempts, q.tries, q.lost FROM :schema.gatepost_queue q WHERE q.id = r.id LIMIT 1) q ON true
LEFT JOIN LATERAL (
    SELECT e.token, e.state, e.attempts, e.tries, e.lost, e.class, e.status_info FROM (
        SELECT e.* FROM :schema.gatepost_outcome e WHERE e.delivery = r.id
        UNION ALL SELECT e.* FROM :schema.gatepost_outcome_old e WHERE e.delivery = r.id) e
    ORDER BY e.token DESC LIMIT 1) l ON true
LEFT JOIN LATERAL (
    SELECT e.started, e.status, e.duration_us FROM (
        SELECT e.token, e.started, e.status, e.duration_us FROM :schema.gatepost_outcome e WHERE e.delivery = r.id AND e.started IS NOT NULL
        UNION ALL SELECT e.token, e.started, e.status, e.duration_us FROM :schema.gatepost_outcome_old e WHERE e.delivery = r.id AND e.started IS NOT NULL) e
    ORDER BY e.token DESC LIMIT 1) a ON true
LEFT JOIN running u ON u.delivery = r.id AND u.token > coalesce(l.token, 0)
WHERE q.id IS NOT NULL OR u.delivery IS NOT NULL OR r.id > o.hidden_to AND r.created >= k.created_before
ORDER BY asked.ord
