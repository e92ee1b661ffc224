-- $1..$3: webhook, class, most of each lane. $4: lease end. $5: now.
-- Webhooks in order: the oldest open delivery alone; lock_in_order.sql ran before in the same transaction.
WITH lane AS MATERIALIZED (
    SELECT l.*, w.in_order, w.revision
    FROM unnest($1::bigint[], $2::smallint[], $3::bigint[]) AS l (webhook, class, most)
    JOIN gatepost_webhook w ON w.id = l.webhook AND w.activity = 'active' AND NOT w.gone
    JOIN gatepost_owner o ON o.owner = w.owner AND NOT (o.held OR o.gone) AND o.moving IS NULL
), free AS MATERIALIZED (
    SELECT d.id
    FROM lane l
    CROSS JOIN LATERAL (
        SELECT q.id FROM gatepost_delivery q
        WHERE q.state = 'queued' AND q.webhook = l.webhook AND q.class = l.class AND q.due <= $5
        ORDER BY q.due, q.id LIMIT l.most FOR UPDATE SKIP LOCKED
    ) d
    WHERE NOT l.in_order
), heads AS MATERIALIZED (
    SELECT d.id
    FROM lane l
    CROSS JOIN LATERAL (
        SELECT o.id FROM gatepost_delivery o
        WHERE o.state = 'queued' AND o.state IN ('queued', 'running') AND o.webhook = l.webhook
        ORDER BY o.webhook, o.state, o.id LIMIT 1
    ) head
    CROSS JOIN LATERAL (
        SELECT q.id FROM gatepost_delivery q
        WHERE q.id = head.id AND q.state || '' = 'queued' AND q.class = l.class AND q.due <= $5
        FOR UPDATE SKIP LOCKED
    ) d
    WHERE l.in_order AND l.most > 0 AND l.webhook = ANY ((SELECT current_setting('gatepost.idle'))::bigint[]) AND (
        SELECT r.id FROM gatepost_delivery r
        WHERE r.state = 'running' AND r.state IN ('queued', 'running') AND r.webhook = l.webhook LIMIT 1) IS NULL
), claimed AS (
    UPDATE gatepost_delivery
    SET state = 'running', lease_until = $4, claims = nextval('gatepost_claim')
    WHERE id = ANY (ARRAY(SELECT id FROM free UNION ALL SELECT id FROM heads))
    RETURNING *
)
SELECT c.id, c.message_id, c.webhook, c.owner, c.tenant, c.task, c.body, c.message_kept, c.state, c.status_info, c.created, c.due,
       c.lease_until, c.last_attempt, c.attempts, c.lost_claims, c.response_status, c.duration_us, c.claims, c.class, l.revision
FROM claimed c JOIN lane l ON l.webhook = c.webhook AND l.class = c.class
