-- $1: tasks; none if an earlier enqueue in the transaction was not stored (queue/enqueue.sql).
-- Tasks with many events are moved to a webhook that is created as deleted, and removed in batches
-- with it.
WITH old AS MATERIALIZED (
    SELECT t.id, t.owner, t.bytes, t.webhook, o.place, :schema.gatepost_slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had
    FROM :schema.gatepost_task t JOIN :schema.gatepost_webhook w ON w.id = t.webhook AND NOT w.gone
    JOIN :schema.gatepost_owner o ON o.owner = t.owner AND NOT o.gone
    WHERE t.id = ANY ($1::bigint[]) AND coalesce(current_setting('gatepost.verdict', true), '') IN ('', '0')
), judged AS MATERIALIZED (
    SELECT CASE WHEN bool_and(had) THEN 'ok' WHEN bool_and(had) IS NULL THEN 'missing' ELSE 'again' END AS verdict FROM old
), gone AS MATERIALIZED (
    SELECT old.* FROM old WHERE (SELECT verdict FROM judged) = 'ok'
), theirs AS MATERIALIZED (
    SELECT g.id, g.owner, e.bytes FROM gone g JOIN :schema.gatepost_event e ON e.task = g.id
), large AS MATERIALIZED (
    SELECT id FROM theirs GROUP BY id HAVING count(*) > 64
), grave AS (
    INSERT INTO :schema.gatepost_webhook (revision, created, modified, owner, name, url, credentials, headers, allow_insecure,
        timeout_s, retries, activity, in_order, signing, bytes, gone)
    SELECT 1, w.created, w.modified, w.owner, w.name, E'\\x00', E'\\x00', E'\\x00', false, w.timeout_s, w.retries, 'disabled', false, E'\\x00', 0, true
    FROM gone g JOIN large USING (id) JOIN :schema.gatepost_webhook w ON w.id = g.webhook ORDER BY g.id LIMIT 1
    RETURNING id
), buried AS (
    UPDATE :schema.gatepost_task SET webhook = grave.id, enabled = false FROM grave WHERE gatepost_task.id = ANY (ARRAY(SELECT id FROM large))
), deleted AS (
    DELETE FROM :schema.gatepost_task WHERE id = ANY (ARRAY(SELECT id FROM gone EXCEPT SELECT id FROM large))
), stored AS MATERIALIZED (
    SELECT id FROM gone
), log AS MATERIALIZED (
    SELECT place, 1::smallint AS kind, id AS record, NULL::uuid AS owner FROM gone
), delta AS MATERIALIZED (
    SELECT owner, 0 AS webhooks, -1 AS tasks, 0 AS events, -bytes AS bytes FROM gone
    UNION ALL SELECT owner, 0, 0, -1, -bytes FROM theirs
)
