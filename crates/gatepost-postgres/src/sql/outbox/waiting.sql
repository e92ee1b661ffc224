-- $1: limit. $2: now.
SELECT id, event_type, event, object_id, object_name, tags::text AS tags, variables::text AS variables, occurrence_id,
    tenant, owner, operators, after_task, tasks::text AS tasks, turn, created
FROM gatepost_occurrence WHERE rejected IS NULL AND due <= $2 ORDER BY due, id LIMIT $1
