SELECT 1 FROM gatepost_delivery INDEXED BY gatepost_delivery_open WHERE in_order = 1 AND state < 2 AND webhook = ?1 AND state = 1 LIMIT 1
