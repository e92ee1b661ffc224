-- $1: the event.
WITH old AS MATERIALIZED (
    SELECT e.id, e.owner, e.bytes, o.place, :schema.gatepost_slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had
    FROM :schema.gatepost_event e JOIN :schema.gatepost_task t ON t.id = e.task JOIN :schema.gatepost_webhook w ON w.id = t.webhook AND NOT w.gone
    JOIN :schema.gatepost_owner o ON o.owner = e.owner AND NOT o.gone
    WHERE e.id = $1
), judged AS MATERIALIZED (
    SELECT coalesce((SELECT CASE WHEN NOT had THEN 'again' ELSE 'ok' END FROM old), 'missing') AS verdict
), stored AS (
    DELETE FROM :schema.gatepost_event WHERE id = $1 AND (SELECT verdict FROM judged) = 'ok' RETURNING id
), log AS MATERIALIZED (
    SELECT old.place, 2::smallint AS kind, s.id AS record, NULL::uuid AS owner FROM stored s, old
), delta AS MATERIALIZED (
    SELECT old.owner, 0 AS webhooks, 0 AS tasks, -1 AS events, -old.bytes AS bytes FROM stored s, old
)
