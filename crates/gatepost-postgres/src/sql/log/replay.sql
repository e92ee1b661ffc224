-- $1: now. Picked deliveries wait again, if they have ended. The mark makes older tokens stale, and
-- attempts continue to be counted.
WITH pick AS MATERIALIZED (
    SELECT r.id, r.webhook, l.attempts, l.class FROM :schema.gatepost_delivery_all r
    CROSS JOIN LATERAL (
        SELECT e.state, e.attempts, e.class FROM :schema.gatepost_outcome_all e WHERE e.delivery = r.id ORDER BY e.token DESC LIMIT 1) l
    WHERE r.id = ANY (current_setting('gatepost.picked')::bigint[]) AND l.state IN (2, 3)
), mark AS (
    INSERT INTO :schema.gatepost_outcome (delivery, token, attempts, tries, state, lost, class, status_info)
    SELECT id, nextval(':schema.gatepost_claim'), attempts, 0, 1, 0, class, '' FROM pick
), again AS (
    INSERT INTO :schema.gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    SELECT id, webhook, $1, 0, attempts, 0, 0, true FROM pick
)
SELECT webhook, count(*) AS replayed FROM pick GROUP BY webhook
