-- $1: owner. $2: the maximum number of the owner's keys. Then the row. Runs after hold.sql in one
-- transaction.
WITH judged AS MATERIALIZED (
    SELECT CASE WHEN o.gone THEN 'gone'
        WHEN (SELECT k.id FROM :schema.gatepost_key k WHERE k.owner = $1 AND k.name = :value.name:) IS NOT NULL THEN 'taken'
        WHEN (SELECT k.id FROM :schema.gatepost_key k WHERE k.lookup = :value.lookup:) IS NOT NULL THEN 'lookup'
        WHEN (SELECT count(*) FROM (SELECT FROM :schema.gatepost_key k WHERE k.owner = $1 LIMIT $2::bigint) k) >= $2::bigint THEN 'rows'
        ELSE 'ok' END AS verdict
    FROM :schema.gatepost_owner o WHERE o.owner = $1
), stored AS (
    INSERT INTO :schema.gatepost_key (owner, :columns) SELECT $1, :values FROM judged WHERE verdict = 'ok' RETURNING :row
)
SELECT j.verdict, s.* FROM judged j LEFT JOIN stored s ON true
