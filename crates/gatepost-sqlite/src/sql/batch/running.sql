SELECT token, lease_until, open, members FROM gatepost_running WHERE token <= ?1 ORDER BY token
