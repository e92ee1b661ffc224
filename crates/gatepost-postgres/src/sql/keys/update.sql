-- $1: key. $2: the revision that was read. $3..$15: the new values.
WITH old AS MATERIALIZED (
    SELECT k.id, k.owner, k.revision, k.lookup FROM :schema.gatepost_key k JOIN :schema.gatepost_owner o ON o.owner = k.owner AND NOT o.gone
    WHERE k.id = $1 FOR UPDATE OF k
), judged AS MATERIALIZED (
    SELECT coalesce((SELECT CASE WHEN revision <> $2 THEN 'stale'
        WHEN (SELECT k.id FROM :schema.gatepost_key k WHERE k.owner = old.owner AND k.name = $3 AND k.id <> $1) IS NOT NULL THEN 'name'
        ELSE 'ok' END FROM old), 'missing') AS verdict
), stored AS (
    UPDATE :schema.gatepost_key SET revision = revision + 1, name = $3, description = $4, expires = $5,
        ip_allow = $6, ip_deny = $7, digest_scheme = $8, digest = $9, enabled = $10, read_only = $11, tables = $12, scopes = $13,
        requests_per_minute = $14, locked = $15
    WHERE id = $1 AND (SELECT verdict FROM judged) = 'ok'
    RETURNING id, revision, owner, lookup, hint, digest_scheme, digest, name, description, expires,
        ip_allow, ip_deny, created, last_login, last_login_from, enabled, locked, read_only, tables, scopes, requests_per_minute, rolled_from, rolled_to
)
SELECT j.verdict, s.*, set_config('gatepost.verdict', j.verdict, true) FROM judged j LEFT JOIN stored s ON true
