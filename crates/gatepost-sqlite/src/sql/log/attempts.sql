SELECT attempts AS number, token, started, duration_us, class, status, kept_bytes, detail
FROM gatepost_outcome WHERE delivery = ?1 AND started IS NOT NULL ORDER BY token DESC LIMIT ?2
