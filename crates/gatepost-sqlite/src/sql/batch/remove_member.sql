UPDATE gatepost_running SET members = ?2, open = open - ?3 WHERE token = ?1
