UPDATE gatepost_webhook SET ordered_to = (SELECT token FROM gatepost_log) WHERE id = ?1 AND in_order = 0
