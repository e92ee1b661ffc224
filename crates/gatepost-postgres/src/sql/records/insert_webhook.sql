-- $1: now. $2..$17: the record. $18: its bytes. $19, $20: how many webhooks and bytes the owner may have.
-- Runs after place/needed.sql in one transaction, as all changes here do; `again` where a lock was not had, be it that the
-- owner went to another place.
WITH own AS MATERIALIZED (
    SELECT o.owner, o.place, o.gone, :slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had,
           coalesce(u.webhooks, 0) AS rows, coalesce(u.bytes, 0) AS bytes
    FROM :schema.gatepost_owner o LEFT JOIN :schema.gatepost_record_usage u USING (owner) WHERE o.owner = $2
), judged AS MATERIALIZED (
    SELECT CASE WHEN own.gone THEN 'gone' WHEN NOT own.had THEN 'again'
        WHEN (SELECT w.id FROM :schema.gatepost_webhook w WHERE w.owner = $2 AND w.name = $3 AND NOT w.gone) IS NOT NULL THEN 'taken'
        WHEN own.rows >= $19::bigint THEN 'rows' WHEN own.bytes + $18::bigint > $20::bigint THEN 'bytes'
        ELSE 'ok' END AS verdict
    FROM own
), stored AS (
    INSERT INTO :schema.gatepost_webhook (revision, created, modified, owner, name, url, authorization_kind, authorization_data,
        headers, allow_insecure, timeout_s, retries, activity, in_order, signing, rate, channels, retry_schedule, client_identity, bytes)
    SELECT 1, $1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::bigint, $15, $16, $17, $18::bigint
    FROM judged WHERE verdict = 'ok'
    RETURNING *
), log AS MATERIALIZED (
    SELECT own.place, 0::smallint AS kind, s.id AS record, NULL::uuid AS owner FROM stored s, own
), delta AS MATERIALIZED (
    SELECT owner, 1 AS webhooks, 0 AS tasks, 0 AS events, bytes FROM stored
)
