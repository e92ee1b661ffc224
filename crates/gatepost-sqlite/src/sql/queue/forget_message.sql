UPDATE gatepost_delivery SET body = '', message_kept = 0 WHERE id = ?1
