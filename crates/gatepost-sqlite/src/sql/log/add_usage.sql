-- ?1: owner. ?2, ?3, ?4: the changes, which may be below 0.
INSERT INTO gatepost_owner (owner, waiting, waiting_bytes, log_bytes) VALUES (?1, max(0, ?2), max(0, ?3), max(0, ?4))
ON CONFLICT (owner) DO UPDATE SET
    waiting = max(0, waiting + ?2), waiting_bytes = max(0, waiting_bytes + ?3), log_bytes = max(0, log_bytes + ?4)
WHERE gone = 0
