INSERT INTO gatepost_owner (owner, unplaced) VALUES (?1, 1)
ON CONFLICT (owner) DO UPDATE SET unplaced = 1 WHERE placed = 0 AND unplaced = 0
