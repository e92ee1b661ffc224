-- The partitions, oldest first: whether deliveries are still added to each, the creation times of
-- its first and last, its bytes.
SELECT p.first, p.beyond, s.last_value AS last,
    (SELECT d.created FROM :schema.gatepost_delivery d WHERE d.id >= p.first AND d.id < p.beyond ORDER BY d.id LIMIT 1) AS began,
    (SELECT d.created FROM :schema.gatepost_delivery d WHERE d.id >= p.first AND d.id < p.beyond ORDER BY d.id DESC LIMIT 1) AS ended
FROM :schema.gatepost_part p CROSS JOIN :schema.gatepost_delivery_id_seq s
ORDER BY p.first
