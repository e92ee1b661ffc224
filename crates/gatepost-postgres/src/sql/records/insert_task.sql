INSERT INTO gatepost_task (revision, created, modified, creator, name, description, enabled, delete_after_run, webhook, message)
VALUES (1, $1, $1, $2, $3, $4, $5, $6, $7, $8)
RETURNING id, revision, created, modified, last_run, creator, name, description, enabled, delete_after_run, webhook, message
