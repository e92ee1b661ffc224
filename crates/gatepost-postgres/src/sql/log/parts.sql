-- The partitions, oldest first: whether deliveries still come to each, when its first and last were created, how many bytes it has.
SELECT p.first, p.beyond, s.last_value AS last,
    (SELECT d.created FROM :schema.gatepost_delivery d WHERE d.id >= p.first AND d.id < p.beyond ORDER BY d.id LIMIT 1) AS began,
    (SELECT d.created FROM :schema.gatepost_delivery d WHERE d.id >= p.first AND d.id < p.beyond ORDER BY d.id DESC LIMIT 1) AS ended
FROM :schema.gatepost_part p CROSS JOIN :schema.gatepost_delivery_id_seq s
ORDER BY p.first
