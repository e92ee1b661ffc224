-- ?1: place. ?2: version. ?3: how many changes.
INSERT INTO gatepost_place (place, version, changes) VALUES (?1, ?2, ?3)
ON CONFLICT (place) DO UPDATE SET version = ?2, changes = changes + ?3
RETURNING changes
