-- $1: now. $2: its bytes. $3, $4: the maximum tasks and bytes of the webhook's owner. Then the
-- fields.
WITH own AS MATERIALIZED (
    SELECT o.owner, o.place, :schema.gatepost_slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had,
           coalesce(u.tasks, 0) AS rows, coalesce(u.bytes, 0) AS bytes
    FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
    LEFT JOIN :schema.gatepost_record_usage u ON u.owner = w.owner
    WHERE w.id = :value.webhook: AND NOT w.gone
), judged AS MATERIALIZED (
    SELECT coalesce((SELECT CASE WHEN NOT had THEN 'again' WHEN rows >= $3::bigint THEN 'rows'
        WHEN bytes + $2::bigint > $4::bigint THEN 'bytes' ELSE 'ok' END FROM own), 'reference') AS verdict
), stored AS (
    INSERT INTO :schema.gatepost_task (revision, created, modified, owner, bytes, :columns)
    SELECT 1, $1, $1, own.owner, $2::bigint, :values FROM own, judged WHERE verdict = 'ok'
    RETURNING *
), log AS MATERIALIZED (
    SELECT own.place, 1::smallint AS kind, s.id AS record, NULL::uuid AS owner FROM stored s, own
), delta AS MATERIALIZED (
    SELECT owner, 0 AS webhooks, 1 AS tasks, 0 AS events, bytes FROM stored
)
