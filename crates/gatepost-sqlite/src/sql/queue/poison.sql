-- A claimed row that cannot be read ends, so that it does not hold up the others.
UPDATE gatepost_delivery SET state = 3, status_info = ?2, lease_until = NULL WHERE id = ?1
