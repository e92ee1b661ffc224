INSERT INTO gatepost_of_task (task, delivery)
SELECT task, id FROM gatepost_delivery NOT INDEXED WHERE id > ?1 AND id <= ?2 AND task IS NOT NULL ORDER BY task, id
