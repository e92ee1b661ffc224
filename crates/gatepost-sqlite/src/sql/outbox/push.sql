INSERT INTO gatepost_occurrence (event_type, event, object_id, object_name, tags, variables, occurrence_id, created)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id
