INSERT INTO gatepost_key (revision, owner, lookup, hint, digest_scheme, digest, name, description, expires,
    ip_allow, ip_deny, created, last_login, last_login_from, enabled, read_only, tables, scopes,
    requests_per_minute, rolled_from, locked)
VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)
RETURNING id, revision, owner, lookup, hint, digest_scheme, digest, name, description, expires, ip_allow, ip_deny, created, last_login,
    last_login_from, enabled, locked, read_only, tables, scopes, requests_per_minute, rolled_from, rolled_to
