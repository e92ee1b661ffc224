-- $1: the webhook. $2: whether its tasks are deleted with it. The row is only marked: its
-- deliveries are removed later.
WITH old AS MATERIALIZED (
    SELECT w.id, w.owner, w.bytes, o.place, :schema.gatepost_slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had
    FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
    WHERE w.id = $1 AND NOT w.gone
), judged AS MATERIALIZED (
    SELECT coalesce((SELECT CASE WHEN NOT had THEN 'again'
        WHEN NOT $2::boolean AND (SELECT t.id FROM :schema.gatepost_task t WHERE t.webhook = $1 LIMIT 1) IS NOT NULL THEN 'used'
        ELSE 'ok' END FROM old), 'missing') AS verdict
), stored AS (
    UPDATE :schema.gatepost_webhook SET gone = true WHERE id = $1 AND (SELECT verdict FROM judged) = 'ok' RETURNING id
), log AS MATERIALIZED (
    SELECT old.place, 0::smallint AS kind, s.id AS record, NULL::uuid AS owner FROM stored s, old
), delta AS MATERIALIZED (
    SELECT owner, -1 AS webhooks, 0 AS tasks, 0 AS events, -bytes AS bytes FROM old, stored
    UNION ALL SELECT t.owner, 0, -1, 0, -t.bytes FROM :schema.gatepost_task t, stored WHERE t.webhook = $1
    UNION ALL SELECT e.owner, 0, 0, -1, -e.bytes
        FROM stored, :schema.gatepost_task t JOIN :schema.gatepost_event e ON e.task = t.id WHERE t.webhook = $1
)
