UPDATE gatepost_task SET revision = revision + 1, modified = ?1, creator = ?2, name = ?3, description = ?4,
    enabled = ?5, delete_after_run = ?6, webhook = ?7, message = ?8
WHERE id = ?9
RETURNING id, revision, created, modified, last_run, creator, name, description, enabled, delete_after_run, webhook, message
