INSERT INTO gatepost_running (token, lease_until, open, webhook, members) VALUES (?1, ?2, ?3, ?4, ?5)
