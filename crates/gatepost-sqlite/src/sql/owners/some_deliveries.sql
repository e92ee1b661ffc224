-- Deliveries that are not indexed yet are few.
SELECT * FROM (SELECT delivery FROM gatepost_of_webhook WHERE webhook = ?1 ORDER BY delivery LIMIT ?2)
UNION ALL
SELECT * FROM (SELECT d.id FROM gatepost_log l CROSS JOIN gatepost_delivery d NOT INDEXED ON d.id > l.indexed
    WHERE d.webhook = ?1 ORDER BY d.id LIMIT ?2)
LIMIT ?2
