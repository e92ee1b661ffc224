-- As enqueue.sql, for the common case that no enqueue names an occurrence or an outbox row.
-- $1: routes version of each enqueue. $2..$9: for each delivery the enqueue (from 1) it belongs to, message id,
-- webhook, task, body, due, lease, time. Verdicts: 0 stored, 2 routes changed, 3 unknown webhook.
WITH new AS MATERIALIZED (
    SELECT n.*, w.in_order
    FROM unnest($2::int[], $3::text[], $4::bigint[], $5::bigint[], $6::bytea[], $7::timestamptz[], $8::timestamptz[], $9::timestamptz[])
         WITH ORDINALITY AS n (item, message_id, webhook, task, body, due, lease_until, created, ord)
    LEFT JOIN gatepost_webhook w ON w.id = n.webhook
), final AS MATERIALIZED (
    SELECT array_agg(CASE
        WHEN i.routes <> (SELECT version FROM gatepost_routes) THEN 2
        WHEN i.item IN (SELECT n.item FROM new n WHERE n.in_order IS NULL) THEN 3
        ELSE 0 END ORDER BY i.item) AS verdicts
    FROM unnest($1::bigint[]) WITH ORDINALITY AS i (routes, item)
), stored AS (
    INSERT INTO gatepost_delivery (message_id, webhook, task, body, state, in_order, created, due, lease_until, claims)
    SELECT n.message_id, n.webhook, n.task, n.body, CASE WHEN n.lease_until IS NULL THEN 'queued' ELSE 'running' END,
           n.in_order, n.created, n.due, n.lease_until, (n.lease_until IS NOT NULL)::int
    FROM new n, final f WHERE f.verdicts[n.item] = 0
    ORDER BY n.ord
    RETURNING id
)
SELECT f.verdicts, (SELECT version FROM gatepost_routes) AS routes, ARRAY(SELECT id FROM stored ORDER BY id) AS ids
FROM final f
