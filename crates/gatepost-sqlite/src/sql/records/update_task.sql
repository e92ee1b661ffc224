UPDATE gatepost_task SET revision = revision + 1, modified = ?1, owner = ?2, creator = ?3, name = ?4, description = ?5,
    enabled = ?6, delete_after_run = ?7, webhook = ?8, message = ?9, bytes = ?10
WHERE id = ?11
RETURNING id, owner, revision, created, modified, last_run, creator, name, description, enabled, delete_after_run, webhook, message
