INSERT INTO gatepost_owner (owner, waiting, waiting_bytes, log_bytes) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (owner) DO UPDATE SET waiting = ?2, waiting_bytes = ?3, log_bytes = ?4 WHERE gone = 0
