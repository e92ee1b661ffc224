UPDATE gatepost_outbox_turn SET holder = NULL, due = NULL, turn = (SELECT outbox_turn FROM gatepost_log)
WHERE tenant = ?1 AND owner = ?2 AND holder = ?3
