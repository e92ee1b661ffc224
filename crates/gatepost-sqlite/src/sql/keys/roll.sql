-- ?1: key. ?2: the revision that was read. ?3: when it ends. ?4: the key that takes its place.
UPDATE gatepost_key SET revision = revision + 1, expires = ?3, rolled_to = ?4
WHERE id = ?1 AND revision = ?2
RETURNING id, revision, owner, lookup, hint, digest_scheme, digest, name, description, expires, ip_allow, ip_deny, created, last_login,
    last_login_from, enabled, locked, read_only, tables, scopes, requests_per_minute, rolled_from, rolled_to
