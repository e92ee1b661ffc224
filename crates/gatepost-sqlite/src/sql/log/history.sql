SELECT state, attempts, tries, lost, due, status_info, started, class, status, duration_us
FROM gatepost_outcome WHERE delivery = ?1 ORDER BY token DESC
