-- $1..$4: key, day, used, refused, each key and day once. $5, $6: keys, and the last day of each
-- that is deleted.
-- Keys are locked in order, before anything else: two calls never wait for each other in a circle,
-- nor for a deletion. Sorting reads all of `held` first; the LIMIT, which is never reached, makes
-- the planner use a range of the index for the deleted days instead of all days of all keys.
WITH held AS MATERIALIZED (
    SELECT k.id FROM :schema.gatepost_key k
    WHERE k.id = ANY ($1::bigint[]) AND (SELECT o.owner FROM :schema.gatepost_owner o WHERE o.owner = k.owner AND NOT o.gone) IS NOT NULL
    ORDER BY k.id FOR KEY SHARE OF k
), old AS MATERIALIZED (
    SELECT d.key, d.day FROM (
        SELECT n.key, n.day FROM held h JOIN unnest($5::bigint[], $6::date[]) AS n (key, day) ON n.key = h.id ORDER BY n.key) n
    CROSS JOIN LATERAL (SELECT u.key, u.day FROM :schema.gatepost_key_use u WHERE u.key = n.key AND u.day <= n.day ORDER BY u.day LIMIT 1000) d
), forgotten AS (
    DELETE FROM :schema.gatepost_key_use u USING old WHERE u.key = old.key AND u.day = old.day
)
INSERT INTO :schema.gatepost_key_use AS u (key, day, used, refused)
SELECT a.key, a.day, a.used, a.refused
FROM held h JOIN unnest($1::bigint[], $2::date[], $3::bigint[], $4::bigint[]) AS a (key, day, used, refused) ON a.key = h.id
ORDER BY a.key, a.day
ON CONFLICT (key, day) DO UPDATE SET used = u.used + excluded.used, refused = u.refused + excluded.refused
