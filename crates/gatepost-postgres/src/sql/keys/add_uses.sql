-- $1..$4: key, day, used, refused, each key and day once. $5, $6: keys, and the last day of each that goes. Keys are locked in
-- order, before anything else: two calls never wait for each other in a circle, nor for a deletion.
WITH held AS MATERIALIZED (
    SELECT k.id FROM :schema.gatepost_key k
    WHERE k.id = ANY ($1::bigint[]) AND (SELECT o.owner FROM :schema.gatepost_owner o WHERE o.owner = k.owner AND NOT o.gone) IS NOT NULL
    ORDER BY k.id FOR KEY SHARE OF k
), forgotten AS (
    DELETE FROM :schema.gatepost_key_use u USING unnest($5::bigint[], $6::date[]) AS n (key, day)
    WHERE u.key = n.key AND u.day <= n.day AND u.key = ANY (ARRAY(SELECT id FROM held))
)
INSERT INTO :schema.gatepost_key_use AS u (key, day, used, refused)
SELECT a.key, a.day, a.used, a.refused FROM unnest($1::bigint[], $2::date[], $3::bigint[], $4::bigint[]) AS a (key, day, used, refused)
WHERE a.key = ANY (ARRAY(SELECT id FROM held)) ORDER BY a.key, a.day
ON CONFLICT (key, day) DO UPDATE SET used = u.used + excluded.used, refused = u.refused + excluded.refused
