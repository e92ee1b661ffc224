-- ?1: row. ?2, ?3: the remaining tasks. ?4: when they are due.
UPDATE gatepost_occurrence SET after_task = ?2, tasks = ?3, due = ?4, turn = turn + 1 WHERE id = ?1
