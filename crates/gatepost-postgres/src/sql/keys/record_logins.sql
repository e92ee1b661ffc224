UPDATE :schema.gatepost_key k SET last_login = l.at, last_login_from = l.origin
FROM (
    SELECT DISTINCT ON (key) key, at, origin
    FROM unnest($1::bigint[], $2::timestamptz[], $3::text[]) AS u (key, at, origin)
    ORDER BY key, at DESC
) l
WHERE k.id = l.key AND (k.last_login IS NULL OR k.last_login < l.at)
