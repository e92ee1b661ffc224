INSERT INTO gatepost_event (revision, created, modified, owner, event_type, event, instance, tag, task, enabled, filters,
    context, bytes, label)
VALUES (1, ?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
RETURNING id, owner, revision, created, modified, event_type, event, instance, tag, task, enabled, filters, context, label
