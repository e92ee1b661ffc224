-- ?1: realm. ?2: version.
INSERT INTO gatepost_place (place, version, changes) VALUES (?1, ?2, 1)
ON CONFLICT (place) DO UPDATE SET version = ?2, changes = changes + 1
RETURNING changes
