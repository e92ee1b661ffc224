-- Many enqueues in one statement, each judged alone. Runs under the shared routes lock.
-- $1..$4: routes version, occurrence id, outbox row and time of each enqueue.
-- $5..$12: for each delivery the enqueue (from 1) it belongs to, message id, webhook, task, body, due, lease, time.
-- Verdicts: 0 stored, 1 source used before, 2 routes changed, 3 unknown webhook.
WITH item AS MATERIALIZED (
    SELECT i.*
    FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::timestamptz[]) WITH ORDINALITY AS i (routes, occurrence, outbox, now, item)
), new AS MATERIALIZED (
    SELECT n.*, w.in_order
    FROM unnest($5::int[], $6::text[], $7::bigint[], $8::bigint[], $9::bytea[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[])
         WITH ORDINALITY AS n (item, message_id, webhook, task, body, due, lease_until, created, ord)
    LEFT JOIN gatepost_webhook w ON w.id = n.webhook
), judged AS MATERIALIZED (
    SELECT i.*, CASE
        -- Scalar, not EXISTS, which a planner may answer by reading the whole table.
        WHEN i.occurrence IS NOT NULL AND (SELECT s.id FROM gatepost_seen s WHERE s.id = i.occurrence) IS NOT NULL THEN 1
        WHEN i.outbox IS NOT NULL
            AND (SELECT o.id FROM gatepost_occurrence o WHERE o.id = i.outbox AND o.rejected IS NULL) IS NULL THEN 1
        WHEN i.routes <> (SELECT version FROM gatepost_routes) THEN 2
        WHEN i.item IN (SELECT n.item FROM new n WHERE n.in_order IS NULL) THEN 3
        ELSE 0 END AS verdict
    FROM item i
), seen AS (
    INSERT INTO gatepost_seen (id, stored)
    SELECT occurrence, now FROM judged WHERE verdict = 0 AND occurrence IS NOT NULL ORDER BY occurrence
    ON CONFLICT DO NOTHING
    RETURNING id
), used AS (
    DELETE FROM gatepost_occurrence WHERE id = ANY (ARRAY(
        SELECT o.id FROM gatepost_occurrence o JOIN judged j ON j.outbox = o.id
        -- A row whose occurrence is known is used up too.
        WHERE (j.verdict = 0 OR j.verdict = 1 AND j.occurrence IS NOT NULL) AND o.rejected IS NULL ORDER BY o.id FOR UPDATE OF o))
    RETURNING id
), final AS MATERIALIZED (
    SELECT array_agg(CASE
        WHEN verdict <> 0 THEN verdict
        WHEN occurrence IS NOT NULL AND occurrence NOT IN (SELECT id FROM seen) THEN 1
        WHEN outbox IS NOT NULL AND outbox NOT IN (SELECT id FROM used) THEN 1
        ELSE 0 END ORDER BY item) AS verdicts
    FROM judged
), stored AS MATERIALIZED (
    SELECT nextval('gatepost_delivery_id_seq') AS id, q.*
    FROM (SELECT n.* FROM new n, final f WHERE f.verdicts[n.item] = 0 ORDER BY n.ord) q
), inserted AS (
    INSERT INTO gatepost_delivery (id, message_id, webhook, task, body, state, in_order, created, due, lease_until, claims)
    SELECT id, message_id, webhook, task, body, CASE WHEN lease_until IS NULL THEN 'queued' ELSE 'running' END,
           in_order, created, due, lease_until, (lease_until IS NOT NULL)::int
    FROM stored
)
SELECT f.verdicts, (SELECT version FROM gatepost_routes) AS routes,
       ARRAY(SELECT id FROM stored ORDER BY ord) AS ids
FROM final f
