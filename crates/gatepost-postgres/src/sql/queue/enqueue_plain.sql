-- The common case: enqueues whose preconditions are realms and whose leases have one length. All of
-- them or none: nothing is stored, and `ids` is NULL, if a realm changed, or a webhook is deleted,
-- or in order and leased, or its lock was missing; enqueue.sql finds the reason. Runs after
-- place/try_webhooks.sql in one transaction.
-- $1, $2: realms, each once, and their versions. $3..$9: for each delivery message id, webhook,
-- task, body, time, cause, and when it is due if it waits.
WITH held AS MATERIALIZED (
    SELECT nullif(current_setting('gatepost.held', true), '')::int[] AS slots
), new AS MATERIALIZED (
    SELECT n.*, w.owner, w.tenant, w.moves
    FROM unnest($3::text[], $4::bigint[], $5::bigint[], $6::bytea[], $7::timestamptz[], $8::text[], $9::timestamptz[])
         WITH ORDINALITY AS n (message_id, webhook, task, body, created, cause, due, ord)
    CROSS JOIN LATERAL (
        SELECT w.owner, o.tenant, o.moves
        FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
        WHERE w.id = n.webhook AND NOT w.gone
            AND (NOT w.in_order OR n.due IS NOT NULL AND 64 + (w.id & 255)::int = ANY ((SELECT slots FROM held)::int[])) LIMIT 1
    ) w
    ORDER BY n.ord
), stored AS MATERIALIZED (
    SELECT nextval(':schema.gatepost_delivery_id_seq') AS id, n.*
    FROM new n
    WHERE (SELECT count(*) FROM new) = cardinality($4::bigint[]) AND cardinality($1::text[]) = (
        SELECT count(*) FROM unnest($1::text[], $2::bigint[]) AS b (place, version)
        WHERE coalesce((SELECT p.version FROM :schema.gatepost_place p WHERE p.place = b.place), 0) = b.version)
), delivery AS (
    INSERT INTO :schema.gatepost_delivery (id, webhook, owner, tenant, task, created, message_id, body, cause, moves)
    SELECT id, webhook, owner, tenant, task, created, message_id, body, cause, moves FROM stored
)
