-- How each attempt ended, as the third step says it of the others. $1: as of the deliveries.
INSERT INTO :schema.gatepost_outcome_ahead (delivery, token, webhook, owner, tenant, task, attempts, tries, state, lost, status, started,
    duration_us, dns_us, connect_us, tls_us, first_byte_us, truncated, kept, class, status_info, info, remote, protocol, response_head, response_body)
SELECT a.delivery, a.number,
    CASE WHEN e.state = 3 THEN d.webhook END, CASE WHEN e.state = 3 THEN d.owner END,
    CASE WHEN e.state = 3 THEN d.tenant END, CASE WHEN e.state = 3 THEN d.task END,
    a.number, CASE WHEN a.number > d.logged - d.attempts THEN a.number - (d.logged - d.attempts) ELSE a.number END,
    e.state, CASE WHEN a.number = d.logged THEN least(d.lost_claims, 100) ELSE 0 END,
    a.status, a.started, a.duration_us, a.dns_us, a.connect_us, a.tls_us, a.first_byte_us, a.truncated, a.kept,
    a.class, CASE WHEN e.state >= 2 THEN d.status_info ELSE a.info END, a.info, a.remote, a.protocol, a.response_head, a.response_body
FROM :schema.gatepost_delivery d JOIN :schema.gatepost_attempt a ON a.delivery = d.id
LEFT JOIN :schema.gatepost_webhook w ON w.id = d.webhook
CROSS JOIN LATERAL (SELECT CASE
    WHEN a.number < d.logged THEN 0 WHEN d.state = 'sent' THEN 2 WHEN d.state = 'error' AND a.info = d.status_info THEN 3 ELSE 0 END AS state) e
WHERE d.id = ANY ($1) AND a.delivery = ANY ($1) AND d.state IN ('sent', 'error')
ORDER BY a.delivery, a.number
