-- Enqueues of every kind in one statement, each decided separately; no error is raised. Two in one
-- statement never share an occurrence id or an outbox row. Runs after place/try_webhooks.sql or
-- place/needed.sql in one transaction.
-- $1..$9: for each enqueue the realm and id of its occurrence; outbox row, its turn, whether it
-- moves on, its remaining tasks then (after_task, tasks, due); time.
-- $10..$12: for each realm precondition the enqueue (from 1), the realm, its version. $13..$16: for
-- each row precondition the enqueue, kind (0 webhook, 1 task, 2 event), row, revision.
-- $17, $18: tasks to consume. $19..$27: for each delivery the enqueue it belongs to, message id,
-- webhook, task, body, due, lease, time, cause. $28..$46: rows to write to the outbox.
-- Verdicts: 0 stored, 1 used earlier, 2 a realm changed, 3 unknown webhook, 5 a lock was missing, 6
-- a row changed.
WITH held AS MATERIALIZED (
    SELECT nullif(current_setting('gatepost.held', true), '')::int[] AS slots
), item AS MATERIALIZED (
    SELECT i.* FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::boolean[], $6::bigint[], $7::text[], $8::timestamptz[], $9::timestamptz[])
         WITH ORDINALITY AS i (place, occurrence, outbox, turn, moves, after_task, tasks, due, now, item)
), precondition AS MATERIALIZED (
    SELECT b.item, coalesce((SELECT p.version FROM :schema.gatepost_place p WHERE p.place = b.place), 0) = b.version AS same
    FROM unnest($10::int[], $11::text[], $12::bigint[]) AS b (item, place, version)
), used_rows AS MATERIALIZED (
    SELECT r.item, r.kind, r.id, coalesce(f.revision = r.revision AND f.stands, false) AS same
    FROM unnest($13::int[], $14::smallint[], $15::bigint[], $16::bigint[]) AS r (item, kind, id, revision)
    LEFT JOIN LATERAL (
        SELECT w.revision, NOT o.held AND o.moving IS NULL AS stands
        FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
        WHERE r.kind = 0 AND w.id = r.id AND NOT w.gone
        UNION ALL
        SELECT t.revision, NOT o.held AND o.moving IS NULL
        FROM :schema.gatepost_task t JOIN :schema.gatepost_webhook w ON w.id = t.webhook AND NOT w.gone JOIN :schema.gatepost_owner o ON o.owner = t.owner AND NOT o.gone
        WHERE r.kind = 1 AND t.id = r.id
        UNION ALL
        SELECT e.revision, NOT o.held AND o.moving IS NULL
        FROM :schema.gatepost_event e JOIN :schema.gatepost_task t ON t.id = e.task JOIN :schema.gatepost_webhook w ON w.id = t.webhook AND NOT w.gone
        JOIN :schema.gatepost_owner o ON o.owner = e.owner AND NOT o.gone
        WHERE r.kind = 2 AND e.id = r.id
    ) f ON true
), missing AS MATERIALIZED (
    SELECT c.item, c.task FROM unnest($17::int[], $18::bigint[]) AS c (item, task)
    LEFT JOIN LATERAL (
        SELECT t.id FROM :schema.gatepost_task t JOIN :schema.gatepost_webhook w ON w.id = t.webhook AND NOT w.gone
        JOIN :schema.gatepost_owner o ON o.owner = t.owner AND NOT o.gone
        WHERE t.id = c.task AND :schema.gatepost_slot(o.place) = ANY ((SELECT slots FROM held)::int[]) LIMIT 1
    ) t ON true
    WHERE t.id IS NULL
), new AS MATERIALIZED (
    SELECT n.*, w.owner, w.tenant, w.moves, w.in_order, w.had
    FROM unnest($19::int[], $20::text[], $21::bigint[], $22::bigint[], $23::bytea[], $24::timestamptz[], $25::timestamptz[], $26::timestamptz[], $27::text[])
         WITH ORDINALITY AS n (item, message_id, webhook, task, body, due, lease_until, created, cause, ord)
    LEFT JOIN LATERAL (
        SELECT w.owner, o.tenant, o.moves, w.in_order, NOT w.in_order OR coalesce(64 + (w.id & 255)::int = ANY ((SELECT slots FROM held)::int[]), false) AS had
        FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
        WHERE w.id = n.webhook AND NOT w.gone LIMIT 1
    ) w ON true
), judged AS MATERIALIZED (
    SELECT i.*, CASE
        -- Scalar, not EXISTS, which a planner may implement by reading the whole table.
        WHEN i.outbox IS NOT NULL AND (SELECT o.id FROM :schema.gatepost_occurrence o
            WHERE o.id = i.outbox AND o.rejected IS NULL AND o.turn = i.turn) IS NULL THEN 1
        WHEN i.occurrence IS NOT NULL
            AND (SELECT s.id FROM :schema.gatepost_seen s WHERE s.place = i.place AND s.id = i.occurrence) IS NOT NULL THEN 1
        WHEN i.item IN (SELECT b.item FROM precondition b WHERE NOT b.same) THEN 2
        WHEN i.item IN (SELECT r.item FROM used_rows r WHERE NOT r.same) THEN 6
        WHEN i.item IN (SELECT m.item FROM missing m) THEN 2
        WHEN i.item IN (SELECT n.item FROM new n WHERE n.owner IS NULL) THEN 3
        WHEN i.item IN (SELECT n.item FROM new n WHERE NOT n.had) THEN 5
        ELSE 0 END AS verdict
    FROM item i
), turned AS MATERIALIZED (
    -- A row that another transaction holds is not waited for.
    SELECT o.id FROM :schema.gatepost_occurrence o JOIN judged j ON j.outbox = o.id
    WHERE j.verdict IN (0, 1) AND o.rejected IS NULL AND o.turn = j.turn ORDER BY o.id FOR UPDATE OF o SKIP LOCKED
), seen AS (
    INSERT INTO :schema.gatepost_seen (place, id, stored)
    SELECT place, occurrence, now FROM judged
    WHERE verdict = 0 AND occurrence IS NOT NULL AND (outbox IS NULL OR outbox IN (SELECT id FROM turned))
    ORDER BY place, occurrence
    ON CONFLICT DO NOTHING
    RETURNING place, id
), final AS MATERIALIZED (
    SELECT item, outbox, moves, after_task, tasks, due, CASE
        WHEN verdict <> 0 THEN verdict
        WHEN outbox IS NOT NULL AND outbox NOT IN (SELECT id FROM turned) THEN 5
        WHEN occurrence IS NOT NULL AND (place, occurrence) NOT IN (SELECT place, id FROM seen) THEN 1
        ELSE 0 END AS verdict
    FROM judged
), verdicts AS MATERIALIZED (
    SELECT array_agg(verdict ORDER BY item) AS list FROM final
), used AS (
    -- A row whose occurrence is known is used up, too.
    DELETE FROM :schema.gatepost_occurrence WHERE id = ANY (ARRAY(
        SELECT t.id FROM turned t JOIN final f ON f.outbox = t.id WHERE f.verdict = 1 OR f.verdict = 0 AND NOT f.moves))
), moved_on AS (
    UPDATE :schema.gatepost_occurrence o
    SET after_task = f.after_task, tasks = f.tasks::jsonb, due = f.due, turn = o.turn + 1
    FROM final f WHERE o.id = f.outbox AND f.verdict = 0 AND f.moves
), later AS (
    INSERT INTO :schema.gatepost_occurrence (event_type, event, object_id, object_name, tags, variables, occurrence_id,
        tenant, owner, operators, after_task, tasks, due, created, data, webhooks, channel, trace, run_by)
    SELECT l.event_type, l.event, l.object_id, l.object_name, l.tags::jsonb, l.variables::jsonb, l.occurrence_id,
        l.tenant, l.owner, l.operators, l.after_task, l.tasks::jsonb, l.due, i.now, l.data::json, l.webhooks::jsonb, l.channel, l.trace, l.run_by
    FROM unnest($28::int[], $29::text[], $30::text[], $31::text[], $32::text[], $33::text[], $34::text[], $35::text[],
            $36::text[], $37::text[], $38::boolean[], $39::bigint[], $40::text[], $41::timestamptz[], $42::text[], $43::text[], $44::text[], $45::text[], $46::text[])
         WITH ORDINALITY AS l (item, event_type, event, object_id, object_name, tags, variables, occurrence_id,
            tenant, owner, operators, after_task, tasks, due, data, webhooks, channel, trace, run_by, ord)
    JOIN item i ON i.item = l.item, verdicts v
    WHERE v.list[l.item] = 0 ORDER BY l.ord RETURNING id
), stored AS MATERIALIZED (
    SELECT nextval(':schema.gatepost_delivery_id_seq') AS id, q.*
    FROM (SELECT n.* FROM new n, verdicts v WHERE v.list[n.item] = 0 ORDER BY n.ord) q
), delivery AS (
    INSERT INTO :schema.gatepost_delivery (id, webhook, owner, tenant, task, created, message_id, body, cause, moves)
    SELECT id, webhook, owner, tenant, task, created, message_id, body, cause, moves FROM stored
), queued AS (
    INSERT INTO :schema.gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    SELECT id, webhook, due, 0, 0, 0, 0, false FROM stored WHERE lease_until IS NULL
), leased AS MATERIALIZED (
    -- Leased deliveries share a token, by duration of the lease.
    SELECT nextval(':schema.gatepost_claim') AS token, l.*
    FROM (
        SELECT max(lease_until) AS lease_until, array_agg(id) AS ids, array_agg(webhook) FILTER (WHERE in_order) AS in_order
        FROM stored WHERE lease_until IS NOT NULL GROUP BY lease_until - created, ord / 256
    ) l
), running AS (
    INSERT INTO :schema.gatepost_running (id, lease_until, open, ids)
    SELECT token, lease_until, cardinality(ids), ids FROM leased
), past_order AS (
    -- Deliveries of a webhook in order should not be leased; if they are, the webhook waits for
    -- them.
    UPDATE :schema.gatepost_webhook w SET ordered_after = CASE WHEN w.ordered_after < 0 THEN w.ordered_after ELSE greatest(w.ordered_after, l.token) END
    FROM leased l CROSS JOIN LATERAL unnest(l.in_order) AS u (webhook) WHERE w.id = u.webhook
)
SELECT v.list AS verdicts, ARRAY(SELECT id FROM stored ORDER BY id) AS ids,
       ARRAY(SELECT u FROM leased l CROSS JOIN unnest(l.ids) AS u) AS leased,
       ARRAY(SELECT l.token FROM leased l CROSS JOIN unnest(l.ids)) AS tokens,
       ARRAY(SELECT id FROM later ORDER BY id) AS later,
       ARRAY(SELECT r.item FROM used_rows r WHERE NOT r.same UNION ALL SELECT m.item FROM missing m) AS changed_items,
       ARRAY(SELECT r.kind FROM used_rows r WHERE NOT r.same UNION ALL SELECT 1::smallint FROM missing m) AS changed_kinds,
       ARRAY(SELECT r.id FROM used_rows r WHERE NOT r.same UNION ALL SELECT m.task FROM missing m) AS changed_rows,
       set_config('gatepost.verdict', v.list[1]::text, true)
FROM verdicts v
