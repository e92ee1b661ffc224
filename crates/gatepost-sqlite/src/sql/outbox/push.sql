INSERT INTO gatepost_occurrence (event_type, event, object_id, object_name, tags, variables, occurrence_id, created,
    tenant, owner, operators, after_task, tasks, due, data, webhooks, channel, trace, run_by)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19) RETURNING id
