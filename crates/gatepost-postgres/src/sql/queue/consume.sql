-- Deletes one-time tasks ($1) with their events, if enqueue.sql before it in the transaction stored its one enqueue. Those with many
-- events go to a webhook that is made for them and is gone, as in records/delete_task.sql.
WITH used AS MATERIALIZED (
    SELECT t.id, t.owner, t.bytes, t.webhook, o.place FROM :schema.gatepost_task t JOIN :schema.gatepost_owner o ON o.owner = t.owner
    WHERE t.id = ANY ($1::bigint[]) AND current_setting('gatepost.verdict') = '0'
), their_events AS MATERIALIZED (
    SELECT u.id, u.owner, e.bytes FROM used u JOIN :schema.gatepost_event e ON e.task = u.id
), large AS MATERIALIZED (
    SELECT id FROM their_events GROUP BY id HAVING count(*) > 64
), grave AS (
    INSERT INTO :schema.gatepost_webhook (revision, created, modified, owner, name, url, credentials, headers, allow_insecure,
        timeout_s, retries, activity, in_order, signing, bytes, gone)
    SELECT 1, w.created, w.modified, w.owner, w.name, E'\\x00', E'\\x00', E'\\x00', false, w.timeout_s, w.retries, 'disabled', false, E'\\x00', 0, true
    FROM used u JOIN large USING (id) JOIN :schema.gatepost_webhook w ON w.id = u.webhook ORDER BY u.id LIMIT 1
    RETURNING id
), buried AS (
    UPDATE :schema.gatepost_task SET webhook = grave.id, enabled = false FROM grave WHERE gatepost_task.id = ANY (ARRAY(SELECT id FROM large))
), deleted AS (
    DELETE FROM :schema.gatepost_task WHERE id = ANY (ARRAY(SELECT id FROM used EXCEPT SELECT id FROM large))
), log AS MATERIALIZED (
    SELECT place, 1::smallint AS kind, id AS record, NULL::uuid AS owner FROM used
), delta AS MATERIALIZED (
    SELECT owner, 0 AS webhooks, -1 AS tasks, 0 AS events, -bytes AS bytes FROM used
    UNION ALL SELECT owner, 0, 0, -1, -bytes FROM their_events
)
