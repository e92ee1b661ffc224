INSERT INTO gatepost_owner (owner, waiting, waiting_bytes, log_bytes, hidden_to) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (owner) DO UPDATE SET waiting = ?2, waiting_bytes = ?3, log_bytes = ?4, hidden_to = max(hidden_to, ?5) WHERE gone = 0
