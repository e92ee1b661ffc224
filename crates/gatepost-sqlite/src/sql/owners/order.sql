UPDATE gatepost_delivery INDEXED BY gatepost_delivery_of_webhook SET in_order = 1
WHERE webhook = ?1 AND id > (SELECT ordered_to FROM gatepost_webhook WHERE id = ?1) AND id <= ?2
    AND state < 2 AND in_order = 0
