SELECT token, open, members FROM gatepost_running INDEXED BY gatepost_running_ends
WHERE lease_until <= ?1 ORDER BY lease_until, token
