UPDATE gatepost_key SET revision = revision + 1, name = ?3, description = ?4, expires = ?5,
    ip_allow = ?6, ip_deny = ?7, digest_scheme = ?8, digest = ?9, enabled = ?10, read_only = ?11, tables = ?12, scopes = ?13,
    requests_per_minute = ?14, locked = ?15
WHERE id = ?1 AND revision = ?2
RETURNING id, revision, owner, lookup, hint, digest_scheme, digest, name, description, expires, ip_allow, ip_deny, created, last_login,
    last_login_from, enabled, locked, read_only, tables, scopes, requests_per_minute, rolled_from, rolled_to
