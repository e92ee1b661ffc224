-- What changed since it was copied is no copy any more; it is copied again with what came after the last bite.
UPDATE gatepost_copied SET bytes = bytes
    - (SELECT coalesce(sum(200 + octet_length(d.body)), 0) FROM gatepost_changed c CROSS JOIN gatepost_delivery_3 d ON d.id = c.id)
    - (SELECT coalesce(sum(150 + coalesce(length(o.response_head), 0) + coalesce(length(o.response_body), 0)), 0)
       FROM gatepost_changed c CROSS JOIN gatepost_outcome o ON o.delivery = c.id);
DELETE FROM gatepost_of_webhook WHERE (webhook, delivery) IN
    (SELECT d.webhook, d.id FROM gatepost_changed c CROSS JOIN gatepost_delivery_3 d ON d.id = c.id);
DELETE FROM gatepost_of_task WHERE (task, delivery) IN
    (SELECT d.task, d.id FROM gatepost_changed c CROSS JOIN gatepost_delivery_3 d ON d.id = c.id);
DELETE FROM gatepost_of_tenant WHERE (tenant, delivery) IN
    (SELECT d.tenant, d.id FROM gatepost_changed c CROSS JOIN gatepost_delivery_3 d ON d.id = c.id);
DELETE FROM gatepost_outcome WHERE delivery IN (SELECT id FROM gatepost_changed);
INSERT INTO gatepost_bite
    SELECT d.id FROM gatepost_delivery d WHERE d.id > (SELECT coalesce(max(id), 0) FROM gatepost_delivery_3)
    UNION SELECT id FROM gatepost_changed;
DELETE FROM gatepost_delivery_3 WHERE id IN (SELECT id FROM gatepost_changed);
