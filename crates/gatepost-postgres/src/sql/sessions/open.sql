-- $1: digest. $2: owner. $3: name. $4: opened. $5: until. $6: the link's digest, or NULL. $7: now.
-- $8: how many of the owner's stay. $9: how many ended ones are removed at most.
WITH link AS (
    DELETE FROM :schema.gatepost_session WHERE digest = $6::bytea AND until > $7::timestamptz RETURNING 1
), ok AS MATERIALIZED (
    SELECT $6::bytea IS NULL OR EXISTS (SELECT FROM link) AS ok
), oldest AS (
    SELECT digest FROM :schema.gatepost_session
    WHERE owner = $2::uuid AND digest IS DISTINCT FROM $6::bytea ORDER BY opened DESC OFFSET $8::bigint
), ended AS (
    SELECT digest FROM :schema.gatepost_session
    WHERE until <= $7::timestamptz AND digest IS DISTINCT FROM $6::bytea ORDER BY until LIMIT $9::bigint
    FOR UPDATE SKIP LOCKED
), removed AS (
    DELETE FROM :schema.gatepost_session
    WHERE digest IN (SELECT digest FROM oldest UNION ALL SELECT digest FROM ended) AND (SELECT ok FROM ok)
)
INSERT INTO :schema.gatepost_session (digest, owner, name, opened, until)
SELECT $1::bytea, $2::uuid, $3::text, $4::timestamptz, $5::timestamptz FROM ok WHERE ok
RETURNING 1
