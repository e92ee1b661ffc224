-- ?1: name. ?2: holder. ?3: until. ?4: now.
INSERT INTO gatepost_lease (name, holder, until) VALUES (?1, ?2, ?3)
ON CONFLICT (name) DO UPDATE SET holder = ?2, until = ?3 WHERE holder = ?2 OR until <= ?4
