-- $1: key. $2: the revision that was read. Then the new values.
WITH old AS MATERIALIZED (
    SELECT k.id, k.owner, k.revision, k.lookup FROM :schema.gatepost_key k JOIN :schema.gatepost_owner o ON o.owner = k.owner AND NOT o.gone
    WHERE k.id = $1 FOR UPDATE OF k
), judged AS MATERIALIZED (
    SELECT coalesce((SELECT CASE WHEN revision <> $2 THEN 'stale'
        WHEN (SELECT k.id FROM :schema.gatepost_key k WHERE k.owner = old.owner AND k.name = :value.name: AND k.id <> $1) IS NOT NULL THEN 'taken'
        ELSE 'ok' END FROM old), 'missing') AS verdict
), stored AS (
    UPDATE :schema.gatepost_key SET revision = revision + 1, :sets
    WHERE id = $1 AND (SELECT verdict FROM judged) = 'ok' RETURNING :row
)
SELECT j.verdict, s.*, set_config('gatepost.verdict', j.verdict, true) FROM judged j LEFT JOIN stored s ON true
