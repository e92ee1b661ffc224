-- $1: now. $2: its bytes. $3, $4: the maximum webhooks and bytes of the owner. $5: the owner. Then
-- the fields.
-- Runs after place/needed.sql in one transaction, like all changes here; `again` if a lock was
-- missing, for example because the owner moved to another realm.
WITH own AS MATERIALIZED (
    SELECT o.owner, o.place, o.gone, :schema.gatepost_slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had,
           coalesce(u.webhooks, 0) AS rows, coalesce(u.bytes, 0) AS bytes
    FROM :schema.gatepost_owner o LEFT JOIN :schema.gatepost_record_usage u USING (owner) WHERE o.owner = $5
), judged AS MATERIALIZED (
    SELECT CASE WHEN own.gone THEN 'gone' WHEN NOT own.had THEN 'again'
        WHEN (SELECT w.id FROM :schema.gatepost_webhook w WHERE w.owner = $5 AND w.name = :value.name: AND NOT w.gone) IS NOT NULL THEN 'taken'
        WHEN own.rows >= $3::bigint THEN 'rows' WHEN own.bytes + $2::bigint > $4::bigint THEN 'bytes'
        ELSE 'ok' END AS verdict
    FROM own
), stored AS (
    INSERT INTO :schema.gatepost_webhook (revision, created, modified, owner, bytes, :columns)
    SELECT 1, $1, $1, $5, $2::bigint, :values
    FROM judged WHERE verdict = 'ok'
    RETURNING *
), log AS MATERIALIZED (
    SELECT own.place, 0::smallint AS kind, s.id AS record, NULL::uuid AS owner FROM stored s, own
), delta AS MATERIALIZED (
    SELECT owner, 1 AS webhooks, 0 AS tasks, 0 AS events, bytes FROM stored
)
