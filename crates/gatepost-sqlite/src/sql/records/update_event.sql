UPDATE gatepost_event SET revision = revision + 1, modified = ?1, owner = ?2, event_type = ?3, event = ?4, instance = ?5,
    tag = ?6, task = ?7, enabled = ?8, filters = ?9, context = ?10, bytes = ?11, label = ?13
WHERE id = ?12
RETURNING id, owner, revision, created, modified, event_type, event, instance, tag, task, enabled, filters, context, label
