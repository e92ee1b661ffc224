INSERT INTO gatepost_place (place, version, started) VALUES (?1, ?2, ?2)
ON CONFLICT (place) DO UPDATE SET version = ?2, started = ?2, changes = 0
