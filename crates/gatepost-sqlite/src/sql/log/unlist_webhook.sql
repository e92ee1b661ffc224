DELETE FROM gatepost_of_webhook WHERE webhook = ?1 AND delivery = ?2
