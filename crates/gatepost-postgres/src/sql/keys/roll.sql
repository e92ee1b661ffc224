-- $1..$18: the new key. $19: how many keys the owner may have. $20: the key whose place it takes. $21: the revision that was
-- read of that one. $22: when it ends. $23: whether the new one is locked. Runs after hold.sql in one transaction; the new key comes first.
WITH old AS MATERIALIZED (
    SELECT k.id, k.revision FROM :schema.gatepost_key k JOIN :schema.gatepost_owner o ON o.owner = k.owner AND NOT o.gone
    WHERE k.id = $20 AND k.owner = $1 FOR UPDATE OF k
), judged AS MATERIALIZED (
    SELECT coalesce((SELECT CASE WHEN revision <> $21 THEN 'stale'
        WHEN (SELECT k.id FROM :schema.gatepost_key k WHERE k.owner = $1 AND k.name = $6) IS NOT NULL THEN 'name'
        WHEN (SELECT k.id FROM :schema.gatepost_key k WHERE k.lookup = $2) IS NOT NULL THEN 'lookup'
        WHEN (SELECT count(*) FROM (SELECT FROM :schema.gatepost_key k WHERE k.owner = $1 LIMIT $19::bigint) k) >= $19::bigint THEN 'rows'
        ELSE 'ok' END FROM old), 'missing') AS verdict
), stored AS (
    INSERT INTO :schema.gatepost_key (revision, owner, lookup, hint, digest_scheme, digest, name, description, expires,
        ip_allow, ip_deny, created, last_login, last_login_from, enabled, read_only, tables, scopes, requests_per_minute, rolled_from, locked)
    SELECT 1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $20, $23 FROM judged WHERE verdict = 'ok'
    RETURNING id, revision, owner, lookup, hint, digest_scheme, digest, name, description, expires,
        ip_allow, ip_deny, created, last_login, last_login_from, enabled, locked, read_only, tables, scopes, requests_per_minute, rolled_from, rolled_to
), ended AS (
    UPDATE :schema.gatepost_key SET revision = revision + 1, expires = $22, rolled_to = (SELECT id FROM stored)
    WHERE id = $20 AND (SELECT verdict FROM judged) = 'ok'
    RETURNING id, revision, owner, lookup, hint, digest_scheme, digest, name, description, expires,
        ip_allow, ip_deny, created, last_login, last_login_from, enabled, locked, read_only, tables, scopes, requests_per_minute, rolled_from, rolled_to
)
SELECT j.verdict, s.*, set_config('gatepost.verdict', j.verdict, true) FROM judged j
LEFT JOIN (SELECT false AS is_old, * FROM stored UNION ALL SELECT true, * FROM ended) s ON true ORDER BY s.is_old
