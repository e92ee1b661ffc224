-- ?3: whether other processes should look. ?4: how much the log has grown.
UPDATE gatepost_log SET delivery = ?1, token = ?2, arrived = arrived + ?3, bytes = max(0, bytes + ?4), indexed = ?5
