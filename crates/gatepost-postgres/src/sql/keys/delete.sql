-- $1: key.
WITH stored AS (
    DELETE FROM :schema.gatepost_key k USING :schema.gatepost_owner o WHERE k.id = $1 AND o.owner = k.owner AND NOT o.gone RETURNING k.id
), judged AS MATERIALIZED (
    SELECT CASE WHEN EXISTS (SELECT FROM stored) THEN 'ok' ELSE 'missing' END AS verdict
)
SELECT verdict, set_config('gatepost.verdict', verdict, true) FROM judged
