-- $1: moment. $2: row number. $3: before this moment. $4: limit. Beyond ($1, $2), in the order in which they expire.
SELECT r.id, r.revision, r.owner, r.lookup, r.hint, r.digest_scheme, r.digest, r.name, r.description,
    r.expires, r.ip_allow, r.ip_deny, r.created, r.last_login, r.last_login_from,
    r.enabled, r.locked, r.read_only, r.tables, r.scopes, r.requests_per_minute, r.rolled_from, r.rolled_to
FROM :schema.gatepost_key r JOIN :schema.gatepost_owner o ON o.owner = r.owner
WHERE NOT o.gone AND (r.expires, r.id) > ($1, $2) AND r.expires < $3 ORDER BY r.expires, r.id LIMIT $4
