-- Deletes one-time tasks ($1) with their events, if enqueue.sql before it in the transaction stored its one enqueue.
WITH used AS MATERIALIZED (
    SELECT t.id, t.owner, t.bytes, o.place FROM :schema.gatepost_task t JOIN :schema.gatepost_owner o ON o.owner = t.owner
    WHERE t.id = ANY ($1::bigint[]) AND current_setting('gatepost.verdict') = '0'
), their_events AS MATERIALIZED (
    SELECT u.owner, e.bytes FROM used u JOIN :schema.gatepost_event e ON e.task = u.id
), deleted AS (
    DELETE FROM :schema.gatepost_task WHERE id = ANY (ARRAY(SELECT id FROM used))
), log AS MATERIALIZED (
    SELECT place, 1::smallint AS kind, id AS record FROM used
), delta AS MATERIALIZED (
    SELECT owner, 0 AS webhooks, -1 AS tasks, 0 AS events, -bytes AS bytes FROM used
    UNION ALL SELECT owner, 0, 0, -1, -bytes FROM their_events
)
