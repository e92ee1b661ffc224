-- $1: the task. One with many events goes to a webhook that is made for it and is gone, and leaves in bites as that does.
WITH old AS MATERIALIZED (
    SELECT t.id, t.owner, t.bytes, t.webhook, o.place, :slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had
    FROM :schema.gatepost_task t JOIN :schema.gatepost_webhook w ON w.id = t.webhook AND NOT w.gone
    JOIN :schema.gatepost_owner o ON o.owner = t.owner AND NOT o.gone
    WHERE t.id = $1
), judged AS MATERIALIZED (
    SELECT coalesce((SELECT CASE WHEN NOT had THEN 'again' ELSE 'ok' END FROM old), 'missing') AS verdict
), theirs AS MATERIALIZED (
    SELECT e.bytes FROM :schema.gatepost_event e WHERE e.task = $1
), grave AS (
    INSERT INTO :schema.gatepost_webhook (revision, created, modified, owner, name, url, credentials, headers, allow_insecure,
        timeout_s, retries, activity, in_order, signing, bytes, gone)
    SELECT 1, w.created, w.modified, w.owner, w.name, E'\\x00', E'\\x00', E'\\x00', false, w.timeout_s, w.retries, 'disabled', false, E'\\x00', 0, true
    FROM old JOIN :schema.gatepost_webhook w ON w.id = old.webhook
    WHERE (SELECT verdict FROM judged) = 'ok' AND (SELECT count(*) FROM theirs) > 64
    RETURNING id
), buried AS (
    UPDATE :schema.gatepost_task SET webhook = grave.id, enabled = false FROM grave WHERE gatepost_task.id = $1 RETURNING gatepost_task.id
), deleted AS (
    DELETE FROM :schema.gatepost_task WHERE id = $1 AND (SELECT verdict FROM judged) = 'ok' AND (SELECT count(*) FROM theirs) <= 64 RETURNING id
), stored AS MATERIALIZED (
    SELECT id FROM deleted UNION ALL SELECT id FROM buried
), log AS MATERIALIZED (
    SELECT old.place, 1::smallint AS kind, s.id AS record, NULL::uuid AS owner FROM stored s, old
), delta AS MATERIALIZED (
    SELECT old.owner, 0 AS webhooks, -1 AS tasks, 0 AS events, -old.bytes AS bytes FROM stored s, old
    UNION ALL SELECT old.owner, 0, 0, -1, -e.bytes FROM stored s, old, theirs e
)
