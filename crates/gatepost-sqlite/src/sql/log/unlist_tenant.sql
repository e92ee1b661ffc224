DELETE FROM gatepost_of_tenant WHERE tenant = ?1 AND delivery = ?2
