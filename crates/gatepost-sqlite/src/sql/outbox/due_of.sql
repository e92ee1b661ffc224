-- ?1: now. ?2: limit. ?3, ?4: audience. Rows of the platform are due immediately; the others at the
-- time that the engine has set.
SELECT id, event_type, event, object_id, object_name, tags, variables, data, webhooks, channel, occurrence_id, tenant, owner, operators,
    after_task, tasks, turn, created, trace, run_by
FROM gatepost_occurrence WHERE id IN (
    SELECT id FROM (
        SELECT id, at FROM (SELECT id, created AS at FROM gatepost_occurrence INDEXED BY gatepost_occurrence_turns
            WHERE rejected IS NULL AND turn_tenant = ?3 AND turn_owner = ?4 AND due IS NULL
            ORDER BY due, id LIMIT ?2)
        UNION ALL
        SELECT id, at FROM (SELECT id, due AS at FROM gatepost_occurrence INDEXED BY gatepost_occurrence_turns
            WHERE rejected IS NULL AND turn_tenant = ?3 AND turn_owner = ?4 AND due <= ?1
            ORDER BY due, id LIMIT ?2))
    ORDER BY at, id LIMIT ?2)
ORDER BY coalesce(due, created), id
