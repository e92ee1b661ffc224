UPDATE gatepost_occurrence SET due = ?3, turn = turn + 1 WHERE id = ?1 AND turn = ?2 AND rejected IS NULL
