UPDATE gatepost_occurrence SET due = coalesce(?3, due), turn = turn + (?3 IS NOT NULL), rejected = ?4
WHERE id = ?1 AND (turn = ?2 OR ?4 IS NOT NULL) AND rejected IS NULL
