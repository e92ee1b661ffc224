INSERT INTO gatepost_of_webhook (webhook, delivery)
SELECT webhook, id FROM gatepost_delivery NOT INDEXED WHERE id > ?1 AND id <= ?2 ORDER BY webhook, id
