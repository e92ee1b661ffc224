-- $1: limit. Keys of deleted owners, each after its daily uses.
WITH picked AS MATERIALIZED (
    SELECT k.id FROM :schema.gatepost_owner o CROSS JOIN LATERAL (SELECT k.id FROM :schema.gatepost_key k WHERE k.owner = o.owner ORDER BY k.id LIMIT $1) k
    WHERE o.gone ORDER BY o.owner LIMIT $1
), days AS MATERIALIZED (
    SELECT u.key, u.day FROM picked p CROSS JOIN LATERAL (SELECT u.key, u.day FROM :schema.gatepost_key_use u WHERE u.key = p.id LIMIT $1) u LIMIT $1
), forgotten AS (
    DELETE FROM :schema.gatepost_key_use u USING days d WHERE u.key = d.key AND u.day = d.day RETURNING u.key
), removed AS (
    -- None, unless all their days are deleted, too.
    DELETE FROM :schema.gatepost_key WHERE id = ANY (ARRAY(SELECT id FROM picked LIMIT $1 - (SELECT count(*) FROM days))) RETURNING id
)
SELECT key FROM forgotten UNION ALL SELECT id FROM removed
