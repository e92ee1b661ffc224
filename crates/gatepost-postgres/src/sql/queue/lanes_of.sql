-- $1: now. $2..$4: webhook and class of lanes, and due when each begins (NULL: at its front).
WITH lane AS MATERIALIZED (
    SELECT l.*, $1::timestamptz AS now FROM unnest($2::bigint[], $3::smallint[], $4::timestamptz[]) AS l (webhook, class, since)
), last AS (
    SELECT WHERE false
)
