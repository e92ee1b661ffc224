INSERT INTO gatepost_owner (owner, placed, held) VALUES (?1, 1, ?2)
ON CONFLICT (owner) DO UPDATE SET placed = 1, unplaced = 0, gone = 0, held = ?2
