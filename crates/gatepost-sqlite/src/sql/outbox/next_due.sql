SELECT due FROM gatepost_occurrence INDEXED BY gatepost_occurrence_turns
WHERE rejected IS NULL AND turn_tenant = ?1 AND turn_owner = ?2 AND due > ?3 ORDER BY due LIMIT 1
