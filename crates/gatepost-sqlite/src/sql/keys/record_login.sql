UPDATE gatepost_key SET last_login = ?2, last_login_from = ?3 WHERE id = ?1 AND (last_login IS NULL OR last_login < ?2)
