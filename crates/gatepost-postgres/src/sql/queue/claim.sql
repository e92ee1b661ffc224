-- $1..$3: webhook, class, most of each lane. $4: lease end. $5: now.
-- Webhooks in order: the oldest open delivery alone; lock_in_order.sql ran before in the same transaction.
WITH lane AS MATERIALIZED (
    SELECT l.*, w.in_order
    FROM unnest($1::bigint[], $2::smallint[], $3::bigint[]) AS l (webhook, class, most)
    JOIN gatepost_webhook w ON w.id = l.webhook AND w.activity = 'active'
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
        WHERE o.in_order AND o.state IN ('queued', 'running') AND o.webhook = l.webhook
        ORDER BY o.webhook, o.id LIMIT 1
    ) head
    CROSS JOIN LATERAL (
        SELECT q.id FROM gatepost_delivery q
        WHERE q.id = head.id AND q.state = 'queued' AND q.class = l.class AND q.due <= $5
        FOR UPDATE SKIP LOCKED
    ) d
    WHERE l.in_order AND l.most > 0 AND NOT EXISTS (
        SELECT FROM gatepost_delivery r
        WHERE r.in_order AND r.state = 'running' AND r.state IN ('queued', 'running') AND r.webhook = l.webhook)
)
UPDATE gatepost_delivery
SET state = 'running', lease_until = $4, claims = claims + 1
WHERE id = ANY (ARRAY(SELECT id FROM free UNION ALL SELECT id FROM heads))
RETURNING id, message_id, webhook, task, body, state, status_info, created, due, lease_until, last_attempt,
          attempts, lost_claims, response_status, duration_us, claims, class
