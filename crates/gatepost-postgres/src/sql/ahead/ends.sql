-- What ended without an attempt, or otherwise than its last one. $1: as of the deliveries.
INSERT INTO :schema.gatepost_outcome_ahead (delivery, token, webhook, owner, tenant, task, attempts, tries, state, lost, class, status_info)
SELECT d.id, d.logged + 1,
    CASE WHEN d.state = 'error' THEN d.webhook END, CASE WHEN d.state = 'error' THEN d.owner END,
    CASE WHEN d.state = 'error' THEN d.tenant END, CASE WHEN d.state = 'error' THEN d.task END,
    d.logged, d.attempts, CASE d.state WHEN 'sent' THEN 2 ELSE 3 END, least(d.lost_claims, 100), coalesce(a.class, ''), d.status_info
FROM :schema.gatepost_delivery d LEFT JOIN :schema.gatepost_attempt a ON a.delivery = d.id AND a.number = d.logged
LEFT JOIN :schema.gatepost_webhook w ON w.id = d.webhook
WHERE d.id = ANY ($1) AND CASE d.state
    WHEN 'sent' THEN a.number IS NULL WHEN 'error' THEN a.info IS DISTINCT FROM d.status_info ELSE false END
ORDER BY d.id
