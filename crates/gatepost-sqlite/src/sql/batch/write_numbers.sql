-- ?3: whether to notify other processes. ?4: how much the log has grown.
UPDATE gatepost_log SET delivery = ?1, token = ?2, arrived = arrived + ?3, bytes = max(0, bytes + ?4), indexed = ?5
