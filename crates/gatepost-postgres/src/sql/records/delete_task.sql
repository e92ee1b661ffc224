-- $1: the task.
WITH old AS MATERIALIZED (
    SELECT t.id, t.owner, t.bytes, o.place, :slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had
    FROM :schema.gatepost_task t JOIN :schema.gatepost_webhook w ON w.id = t.webhook AND NOT w.gone
    JOIN :schema.gatepost_owner o ON o.owner = t.owner AND NOT o.gone
    WHERE t.id = $1
), judged AS MATERIALIZED (
    SELECT coalesce((SELECT CASE WHEN NOT had THEN 'again' ELSE 'ok' END FROM old), 'missing') AS verdict
), theirs AS MATERIALIZED (
    SELECT e.bytes FROM :schema.gatepost_event e WHERE e.task = $1
), stored AS (
    DELETE FROM :schema.gatepost_task WHERE id = $1 AND (SELECT verdict FROM judged) = 'ok' RETURNING id
), log AS MATERIALIZED (
    SELECT old.place, 1::smallint AS kind, s.id AS record FROM stored s, old
), delta AS MATERIALIZED (
    SELECT old.owner, 0 AS webhooks, -1 AS tasks, 0 AS events, -old.bytes AS bytes FROM stored s, old
    UNION ALL SELECT old.owner, 0, 0, -1, -e.bytes FROM stored s, old, theirs e
)
