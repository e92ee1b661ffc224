UPDATE gatepost_event SET revision = revision + 1, modified = $1, event_type = $2, event = $3, instance = $4,
    tag = $5, task = $6, enabled = $7, filters = $8, context = $9
WHERE id = $10 AND revision = $11
RETURNING id, revision, created, modified, event_type, event, instance, tag, task, enabled, filters, context
