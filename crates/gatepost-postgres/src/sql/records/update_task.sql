-- $1: now. $2: its bytes. $3: the maximum bytes of the owner. $4: the row. $5: the revision that
-- was read. Then the fields. With another owner's webhook the task and its events become that
-- owner's.
WITH old AS MATERIALIZED (
    SELECT t.id, t.owner, t.revision, t.bytes, t.enabled, t.webhook, o.place, :schema.gatepost_slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had
    FROM :schema.gatepost_task t JOIN :schema.gatepost_webhook w ON w.id = t.webhook AND NOT w.gone
    JOIN :schema.gatepost_owner o ON o.owner = t.owner AND NOT o.gone
    WHERE t.id = $4
), own AS MATERIALIZED (
    SELECT o.owner, o.place, :schema.gatepost_slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had, coalesce(u.bytes, 0) AS used
    FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
    LEFT JOIN :schema.gatepost_record_usage u ON u.owner = w.owner
    WHERE w.id = :value.webhook: AND NOT w.gone
), theirs AS MATERIALIZED (
    -- The events that move to another owner.
    SELECT e.id, e.bytes FROM old, own, :schema.gatepost_event e WHERE e.task = old.id AND own.owner <> old.owner
), judged AS MATERIALIZED (
    SELECT CASE WHEN old.id IS NULL THEN 'missing' WHEN NOT old.had THEN 'again' WHEN old.revision <> $5 THEN 'stale'
        WHEN own.owner IS NULL THEN 'reference' WHEN NOT own.had THEN 'again'
        WHEN own.owner = old.owner AND $2::bigint > old.bytes AND own.used + $2::bigint - old.bytes > $3::bigint THEN 'bytes'
        WHEN own.owner <> old.owner AND own.used + $2::bigint + (SELECT coalesce(sum(bytes), 0) FROM theirs) > $3::bigint THEN 'bytes'
        ELSE 'ok' END AS verdict
    FROM (SELECT) one LEFT JOIN old ON true LEFT JOIN own ON true
), stored AS (
    UPDATE :schema.gatepost_task SET revision = revision + 1, modified = $1, owner = own.owner, bytes = $2::bigint, :sets
    FROM own WHERE id = $4 AND (SELECT verdict FROM judged) = 'ok'
    RETURNING gatepost_task.*
), taken AS (
    UPDATE :schema.gatepost_event SET owner = s.owner FROM stored s WHERE gatepost_event.id = ANY (ARRAY(SELECT id FROM theirs))
), log AS MATERIALIZED (
    -- A cache that dropped the events together with the task must be notified of them when the task
    -- returns.
    SELECT own.place, (CASE WHEN s.enabled AND (NOT old.enabled OR old.webhook <> s.webhook) THEN 6 ELSE 1 END)::smallint AS kind, s.id AS record, NULL::uuid AS owner
    FROM stored s, own, old
    UNION ALL SELECT old.place, 1, s.id, NULL FROM stored s, own, old WHERE own.place <> old.place
    UNION ALL SELECT old.place, 2, e.id, NULL FROM stored s, own, old, theirs e WHERE own.place <> old.place
), delta AS MATERIALIZED (
    SELECT old.owner, 0 AS webhooks, -1 AS tasks, 0 AS events, -old.bytes AS bytes FROM stored s, old
    UNION ALL SELECT s.owner, 0, 1, 0, s.bytes FROM stored s
    UNION ALL SELECT old.owner, 0, 0, -1, -e.bytes FROM stored s, old, theirs e
    UNION ALL SELECT s.owner, 0, 0, 1, e.bytes FROM stored s, theirs e
)
