-- $1: now. $2: webhooks.
WITH lane AS MATERIALIZED (
    SELECT w AS webhook, c::smallint AS class FROM unnest($2::bigint[]) AS w CROSS JOIN generate_series(0, 2) AS c
)
