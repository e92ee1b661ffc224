-- What is in gatepost_bite: its copies of before go, and it is copied if it is still there.
UPDATE gatepost_copied SET bytes = bytes
    - (SELECT coalesce(sum(200 + octet_length(d.body)), 0) FROM gatepost_bite b CROSS JOIN gatepost_delivery_3 d ON d.id = b.id)
    - (SELECT coalesce(sum(150 + coalesce(length(o.response_head), 0) + coalesce(length(o.response_body), 0)), 0)
       FROM gatepost_bite b CROSS JOIN gatepost_outcome o ON o.delivery = b.id);
DELETE FROM gatepost_of_webhook WHERE (webhook, delivery) IN
    (SELECT d.webhook, d.id FROM gatepost_bite b CROSS JOIN gatepost_delivery_3 d ON d.id = b.id);
DELETE FROM gatepost_of_task WHERE (task, delivery) IN
    (SELECT d.task, d.id FROM gatepost_bite b CROSS JOIN gatepost_delivery_3 d ON d.id = b.id);
DELETE FROM gatepost_of_tenant WHERE (tenant, delivery) IN
    (SELECT d.tenant, d.id FROM gatepost_bite b CROSS JOIN gatepost_delivery_3 d ON d.id = b.id);
DELETE FROM gatepost_outcome WHERE delivery IN (SELECT id FROM gatepost_bite);
DELETE FROM gatepost_delivery_3 WHERE id IN (SELECT id FROM gatepost_bite);
INSERT INTO gatepost_delivery_3
    SELECT d.id, d.webhook, d.task, d.tenant, d.created, d.message_kept, d.message_id, d.body
    FROM gatepost_bite b CROSS JOIN gatepost_delivery d ON d.id = b.id ORDER BY b.id;
-- Attempts keep their numbers as tokens. The last one of a delivery says what became of it; the others were followed.
INSERT INTO gatepost_outcome
    SELECT a.delivery, a.number, iif(l.last AND d.state >= 2, d.state, 0), a.number,
        iif(l.last, d.attempts, a.number), iif(l.last, d.lost_claims, 0), d.due,
        iif(l.last, d.status_info, a.info),
        iif(l.last AND d.state = 3, d.webhook, NULL), iif(l.last AND d.state = 3, d.task, NULL),
        iif(l.last AND d.state = 3, d.tenant, NULL),
        a.started, a.duration_us, a.dns_us, a.connect_us, a.tls_us, a.first_byte_us, a.class, a.info, a.status, a.remote,
        a.protocol, a.response_head, a.response_body, a.truncated, a.kept
    FROM gatepost_bite b CROSS JOIN gatepost_attempt a ON a.delivery = b.id CROSS JOIN gatepost_delivery d ON d.id = b.id
    CROSS JOIN (SELECT 0 AS last UNION ALL SELECT 1) l
    WHERE l.last = (a.number = (SELECT max(n.number) FROM gatepost_attempt n WHERE n.delivery = a.delivery))
    ORDER BY b.id, a.number;
-- What has something to say and had no attempt.
INSERT INTO gatepost_outcome (delivery, token, state, attempts, tries, lost, due, status_info, webhook, task, tenant)
    SELECT d.id, 0, iif(d.state >= 2, d.state, 1), d.logged, d.attempts, d.lost_claims, d.due, d.status_info,
        iif(d.state = 3, d.webhook, NULL), iif(d.state = 3, d.task, NULL), iif(d.state = 3, d.tenant, NULL)
    FROM gatepost_bite b CROSS JOIN gatepost_delivery d ON d.id = b.id
    WHERE (d.state >= 2 OR d.status_info <> '') AND NOT EXISTS (SELECT 1 FROM gatepost_attempt a WHERE a.delivery = d.id)
    ORDER BY b.id;
INSERT INTO gatepost_of_webhook
    SELECT d.webhook, d.id FROM gatepost_bite b CROSS JOIN gatepost_delivery_3 d ON d.id = b.id ORDER BY d.webhook, d.id;
INSERT INTO gatepost_of_task
    SELECT d.task, d.id FROM gatepost_bite b CROSS JOIN gatepost_delivery_3 d ON d.id = b.id
    WHERE d.task IS NOT NULL ORDER BY d.task, d.id;
INSERT INTO gatepost_of_tenant
    SELECT d.tenant, d.id FROM gatepost_bite b CROSS JOIN gatepost_delivery_3 d ON d.id = b.id
    WHERE d.tenant IS NOT NULL ORDER BY d.tenant, d.id;
UPDATE gatepost_copied SET
    bytes = bytes
        + (SELECT coalesce(sum(200 + octet_length(d.body)), 0) FROM gatepost_bite b CROSS JOIN gatepost_delivery_3 d ON d.id = b.id)
        + (SELECT coalesce(sum(150 + coalesce(length(o.response_head), 0) + coalesce(length(o.response_body), 0)), 0)
           FROM gatepost_bite b CROSS JOIN gatepost_outcome o ON o.delivery = b.id),
    token = max(token, (SELECT coalesce(max(o.token), 0) FROM gatepost_bite b CROSS JOIN gatepost_outcome o ON o.delivery = b.id));
DELETE FROM gatepost_bite;
