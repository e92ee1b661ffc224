-- $1..$18: the record. $19: how many keys the owner may have. $20: whether it is locked. Runs after hold.sql in one transaction.
WITH judged AS MATERIALIZED (
    SELECT CASE WHEN o.gone THEN 'gone'
        WHEN (SELECT k.id FROM :schema.gatepost_key k WHERE k.owner = $1 AND k.name = $6) IS NOT NULL THEN 'name'
        WHEN (SELECT k.id FROM :schema.gatepost_key k WHERE k.lookup = $2) IS NOT NULL THEN 'lookup'
        WHEN (SELECT count(*) FROM (SELECT FROM :schema.gatepost_key k WHERE k.owner = $1 LIMIT $19::bigint) k) >= $19::bigint THEN 'rows'
        ELSE 'ok' END AS verdict
    FROM :schema.gatepost_owner o WHERE o.owner = $1
), stored AS (
    INSERT INTO :schema.gatepost_key (revision, owner, lookup, hint, digest_scheme, digest, name, description, expires,
        ip_allow, ip_deny, created, last_login, last_login_from, enabled, read_only, tables, scopes, requests_per_minute, locked)
    SELECT 1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $20 FROM judged WHERE verdict = 'ok'
    RETURNING id, revision, owner, lookup, hint, digest_scheme, digest, name, description, expires,
        ip_allow, ip_deny, created, last_login, last_login_from, enabled, locked, read_only, tables, scopes, requests_per_minute, rolled_from, rolled_to
)
SELECT j.verdict, s.* FROM judged j LEFT JOIN stored s ON true
