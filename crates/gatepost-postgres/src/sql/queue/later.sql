-- As enqueue.sql, for enqueues of nothing but rows of the outbox: none of them depends on anything. $1: for each its time.
-- $2..$20: the rows.
WITH later AS (
    INSERT INTO :schema.gatepost_occurrence (event_type, event, object_id, object_name, tags, variables, occurrence_id,
        tenant, owner, operators, after_task, tasks, due, created, data, webhooks, channel, trace, run_by)
    SELECT l.event_type, l.event, l.object_id, l.object_name, l.tags::jsonb, l.variables::jsonb, l.occurrence_id,
        l.tenant, l.owner, l.operators, l.after_task, l.tasks::jsonb, l.due, ($1::timestamptz[])[l.item], l.data::json, l.webhooks::jsonb, l.channel, l.trace, l.run_by
    FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
            $10::text[], $11::text[], $12::boolean[], $13::bigint[], $14::text[], $15::timestamptz[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[])
         WITH ORDINALITY AS l (item, event_type, event, object_id, object_name, tags, variables, occurrence_id,
            tenant, owner, operators, after_task, tasks, due, data, webhooks, channel, trace, run_by, ord)
    ORDER BY l.ord RETURNING id
)
SELECT array_fill(0, ARRAY[cardinality($1::timestamptz[])]) AS verdicts, '{}'::bigint[] AS ids, '{}'::bigint[] AS leased,
       '{}'::bigint[] AS tokens, ARRAY(SELECT id FROM later ORDER BY id) AS later
