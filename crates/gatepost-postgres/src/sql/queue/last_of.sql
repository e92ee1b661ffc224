-- $1: deliveries. How each stood at its last outcome, and its last attempt.
WITH asked AS MATERIALIZED (SELECT unnest($1::bigint[]) AS id)
