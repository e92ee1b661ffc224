-- ?1, ?2: audience. ?3: before this row. ?4: limit.
SELECT id, after_task, tasks, coalesce(due, created) AS due FROM gatepost_occurrence INDEXED BY gatepost_occurrence_open
WHERE rejected IS NULL AND turn_tenant = ?1 AND turn_owner = ?2 AND id < ?3 ORDER BY id LIMIT ?4
