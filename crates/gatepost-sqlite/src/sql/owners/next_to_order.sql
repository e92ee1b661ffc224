SELECT d.id FROM gatepost_webhook w CROSS JOIN gatepost_delivery d INDEXED BY gatepost_delivery_of_webhook
    ON d.webhook = w.id AND d.id > w.ordered_to
WHERE w.id = ?1 ORDER BY d.id LIMIT ?2
