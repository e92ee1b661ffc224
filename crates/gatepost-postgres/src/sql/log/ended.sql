-- Ends the deliveries that were removed from the queue, with the reason $2.
INSERT INTO :schema.gatepost_outcome (delivery, token, webhook, owner, tenant, task, attempts, tries, state, lost, class, status_info)
SELECT g.id, nextval(':schema.gatepost_claim'), r.webhook, r.owner, r.tenant, r.task, g.attempts, g.tries, 3, g.lost, coalesce(l.class, ''), $2
FROM gone g JOIN :schema.gatepost_delivery_all r ON r.id = g.id
LEFT JOIN LATERAL (
    SELECT e.class FROM :schema.gatepost_outcome_all e WHERE e.delivery = g.id ORDER BY e.token DESC LIMIT 1) l ON true
