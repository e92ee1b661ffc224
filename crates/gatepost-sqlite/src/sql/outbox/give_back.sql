UPDATE gatepost_outbox_turn SET holder = NULL, due = NULL WHERE tenant = ?1 AND owner = ?2 AND holder = ?3
