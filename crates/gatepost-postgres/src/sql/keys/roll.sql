-- $1: owner. $2: the maximum number of the owner's keys. $3: the key that is replaced. $4: the
-- revision that was read of it.
-- $5: its new end. Then the row of the new key. Runs after hold.sql in one transaction; the new key
-- comes first.
WITH old AS MATERIALIZED (
    SELECT k.id, k.revision FROM :schema.gatepost_key k JOIN :schema.gatepost_owner o ON o.owner = k.owner AND NOT o.gone
    WHERE k.id = $3 AND k.owner = $1 FOR UPDATE OF k
), judged AS MATERIALIZED (
    SELECT coalesce((SELECT CASE WHEN revision <> $4 THEN 'stale'
        WHEN (SELECT k.id FROM :schema.gatepost_key k WHERE k.owner = $1 AND k.name = :value.name:) IS NOT NULL THEN 'taken'
        WHEN (SELECT k.id FROM :schema.gatepost_key k WHERE k.lookup = :value.lookup:) IS NOT NULL THEN 'lookup'
        WHEN (SELECT count(*) FROM (SELECT FROM :schema.gatepost_key k WHERE k.owner = $1 LIMIT $2::bigint) k) >= $2::bigint THEN 'rows'
        ELSE 'ok' END FROM old), 'missing') AS verdict
), stored AS (
    INSERT INTO :schema.gatepost_key (owner, :columns) SELECT $1, :values FROM judged WHERE verdict = 'ok' RETURNING :row
), ended AS (
    UPDATE :schema.gatepost_key SET revision = revision + 1, expires = $5, rolled_to = (SELECT id FROM stored)
    WHERE id = $3 AND (SELECT verdict FROM judged) = 'ok' RETURNING :row
)
SELECT j.verdict, s.*, set_config('gatepost.verdict', j.verdict, true) FROM judged j
LEFT JOIN (SELECT false AS is_old, * FROM stored UNION ALL SELECT true, * FROM ended) s ON true ORDER BY s.is_old
