SELECT due FROM gatepost_occurrence INDEXED BY gatepost_occurrence_turns
WHERE rejected IS NULL AND ifnull(tenant, 0) = ?1 AND ifnull(owner, 0) = ?2 AND due > ?3 ORDER BY due LIMIT 1
