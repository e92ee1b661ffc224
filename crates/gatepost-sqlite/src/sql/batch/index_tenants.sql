INSERT INTO gatepost_of_tenant (tenant, delivery)
SELECT tenant, id FROM gatepost_delivery NOT INDEXED WHERE id > ?1 AND id <= ?2 AND tenant IS NOT NULL ORDER BY tenant, id
