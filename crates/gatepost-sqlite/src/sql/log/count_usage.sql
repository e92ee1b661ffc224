SELECT (SELECT count(*) FROM gatepost_live_webhook w CROSS JOIN gatepost_delivery d INDEXED BY gatepost_delivery_of_webhook
        ON d.webhook = w.id WHERE w.owner = ?1 AND d.state < 2) AS waiting,
       (SELECT coalesce(sum(octet_length(d.body)), 0) FROM gatepost_live_webhook w
        CROSS JOIN gatepost_delivery d INDEXED BY gatepost_delivery_of_webhook ON d.webhook = w.id
        WHERE w.owner = ?1 AND d.state < 2) AS waiting_bytes,
       (SELECT coalesce(sum(octet_length(d.body)), 0) FROM gatepost_live_webhook w
        CROSS JOIN gatepost_delivery d INDEXED BY gatepost_delivery_of_webhook ON d.webhook = w.id
        WHERE w.owner = ?1)
       + (SELECT coalesce(sum(length(a.response_head) + length(a.response_body)), 0) FROM gatepost_live_webhook w
        CROSS JOIN gatepost_delivery d INDEXED BY gatepost_delivery_of_webhook ON d.webhook = w.id
        CROSS JOIN gatepost_attempt a ON a.delivery = d.id WHERE w.owner = ?1) AS log_bytes
