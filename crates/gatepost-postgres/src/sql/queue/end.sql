-- Ends what was taken out of the queue as `waits`, for the reason $2.
INSERT INTO gatepost_outcome (delivery, token, webhook, owner, tenant, task, attempts, tries, state, lost, class, status_info)
SELECT w.id, nextval('gatepost_claim'), d.webhook, d.owner, d.tenant, d.task, w.attempts, w.tries, 3, w.lost, coalesce(l.class, ''), $2
FROM waits w
CROSS JOIN LATERAL (
    SELECT d.webhook, d.owner, d.tenant, d.task FROM gatepost_delivery d WHERE d.id = w.id
    UNION ALL SELECT d.webhook, d.owner, d.tenant, d.task FROM gatepost_delivery_old d WHERE d.id = w.id
    LIMIT 1
) d
LEFT JOIN LATERAL (
    (SELECT o.class FROM gatepost_outcome o WHERE w.marked AND o.delivery = w.id ORDER BY o.delivery DESC, o.token DESC LIMIT 1)
    UNION ALL
    (SELECT o.class FROM gatepost_outcome_old o WHERE w.marked AND o.delivery = w.id ORDER BY o.delivery DESC, o.token DESC LIMIT 1)
    LIMIT 1
) l ON true
