-- $1: now. $2, $3: webhook and class of queues.
WITH queue AS MATERIALIZED (
    SELECT l.*, NULL::timestamptz AS since, $1::timestamptz AS now FROM unnest($2::bigint[], $3::smallint[]) AS l (webhook, class)
), last AS (
    SELECT WHERE false
)
