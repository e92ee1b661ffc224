INSERT INTO gatepost_event (revision, created, modified, event_type, event, instance, tag, task, enabled, filters, context)
VALUES (1, $1, $1, $2, $3, $4, $5, $6, $7, $8, $9)
RETURNING id, revision, created, modified, event_type, event, instance, tag, task, enabled, filters, context
