UPDATE gatepost_outbox_turn SET holder = ?3, due = ?4, turn = ?5 WHERE tenant = ?1 AND owner = ?2
