-- ?1: owner. ?2: place. ?3: whether something was made elsewhere and has not ended.
INSERT INTO gatepost_owner (owner, place, placed) VALUES (?1, ?2, 1)
ON CONFLICT (owner) DO UPDATE SET
    place = ?2, placed = 1, unplaced = 0, gone = 0,
    moved = CASE WHEN ?3 THEN (SELECT delivery FROM gatepost_log) ELSE moved END,
    unfinished = unfinished OR ?3
