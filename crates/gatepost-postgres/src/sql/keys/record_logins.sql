-- $1..$3: key, moment, address. Keys are locked in order, as add_uses.sql locks them.
WITH l AS (
    SELECT DISTINCT ON (key) key, at, origin
    FROM unnest($1::bigint[], $2::timestamptz[], $3::text[]) AS u (key, at, origin)
    ORDER BY key, at DESC
), held AS MATERIALIZED (
    SELECT k.id FROM :schema.gatepost_key k WHERE k.id = ANY ($1::bigint[]) ORDER BY k.id FOR NO KEY UPDATE
)
UPDATE :schema.gatepost_key k SET last_login = l.at, last_login_from = l.origin
FROM l JOIN held ON held.id = l.key
WHERE k.id = l.key AND (k.last_login IS NULL OR k.last_login < l.at)
