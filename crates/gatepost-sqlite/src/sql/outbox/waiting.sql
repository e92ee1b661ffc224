SELECT id, event_type, event, object_id, object_name, tags, variables, occurrence_id
FROM gatepost_occurrence WHERE rejected IS NULL ORDER BY id LIMIT ?1
