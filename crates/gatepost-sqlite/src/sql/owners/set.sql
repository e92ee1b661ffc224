-- ?1: owner. ?2: realm. ?3: whether a delivery of another realm has not ended. ?4: whether
-- suspended.
INSERT INTO gatepost_owner (owner, place, placed, held) VALUES (?1, ?2, 1, ?4)
ON CONFLICT (owner) DO UPDATE SET
    place = ?2, placed = 1, unplaced = 0, gone = 0, held = ?4,
    moved = CASE WHEN ?3 THEN (SELECT delivery FROM gatepost_log) ELSE moved END,
    unfinished = unfinished OR ?3
