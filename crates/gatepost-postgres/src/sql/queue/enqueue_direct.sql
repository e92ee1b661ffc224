-- Many enqueues in one statement, each judged alone; nothing raises. For those that name no occurrence, outbox row or
-- revision. Runs after place/try_webhooks.sql or place/needed.sql in one transaction.
-- $1: how many. $2..$4: for each place that an enqueue was decided by the enqueue (from 1), the place, its version.
-- $5..$13: for each delivery the enqueue it belongs to, message id, webhook, task, body, due, lease, time, cause.
-- Verdicts: 0 stored, 2 a place changed, 3 unknown webhook, 5 a lock was not had.
WITH held AS MATERIALIZED (
    SELECT nullif(current_setting('gatepost.held', true), '')::int[] AS slots
), basis AS MATERIALIZED (
    SELECT b.item, coalesce((SELECT p.version FROM :schema.gatepost_place p WHERE p.place = b.place), 0) = b.version AS same
    FROM unnest($2::int[], $3::text[], $4::bigint[]) AS b (item, place, version)
), new AS MATERIALIZED (
    SELECT n.*, w.owner, w.tenant, w.moves, w.in_order, w.had
    FROM unnest($5::int[], $6::text[], $7::bigint[], $8::bigint[], $9::bytea[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[], $13::text[])
         WITH ORDINALITY AS n (item, message_id, webhook, task, body, due, lease_until, created, cause, ord)
    LEFT JOIN LATERAL (
        SELECT w.owner, o.tenant, o.moves, w.in_order, NOT w.in_order OR coalesce(64 + (w.id & 255)::int = ANY ((SELECT slots FROM held)::int[]), false) AS had
        FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
        WHERE w.id = n.webhook AND NOT w.gone LIMIT 1
    ) w ON true
), verdicts AS MATERIALIZED (
    SELECT array_agg(CASE
        WHEN i IN (SELECT b.item FROM basis b WHERE NOT b.same) THEN 2
        WHEN i IN (SELECT n.item FROM new n WHERE n.owner IS NULL) THEN 3
        WHEN i IN (SELECT n.item FROM new n WHERE NOT n.had) THEN 5
        ELSE 0 END ORDER BY i) AS list
    FROM generate_series(1, $1::int) AS i
)
