-- ?3: when one of its rows is due again.
UPDATE gatepost_outbox_turn SET due = ?3, holder = NULL WHERE tenant = ?1 AND owner = ?2
