INSERT INTO gatepost_task (revision, created, modified, owner, creator, name, description, enabled, delete_after_run,
    webhook, message, bytes)
VALUES (1, ?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
RETURNING id, owner, revision, created, modified, last_run, creator, name, description, enabled, delete_after_run, webhook, message
