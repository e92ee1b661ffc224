-- A claimed row that cannot be read ends, so that it does not hold up the others.
UPDATE gatepost_delivery SET state = 'error', status_info = $3, lease_until = NULL
WHERE id = $1 AND claims = $2 AND state = 'running'
