-- ?1: the audience after which to look. Its first row: one without a due time, or the first due.
SELECT ifnull(tenant << 1, ifnull(owner << 1 | 1, 0)), due FROM gatepost_occurrence INDEXED BY gatepost_occurrence_turns
WHERE rejected IS NULL AND ifnull(tenant << 1, ifnull(owner << 1 | 1, 0)) > ?1
ORDER BY ifnull(tenant << 1, ifnull(owner << 1 | 1, 0)), due, id LIMIT 1
