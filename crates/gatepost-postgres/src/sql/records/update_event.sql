-- $1: now. $2: its bytes. $3: the maximum bytes of the owner. $4: the row. $5: the revision that
-- was read. Then the fields. With another owner's task the event becomes that owner's.
WITH old AS MATERIALIZED (
    SELECT e.id, e.owner, e.revision, e.bytes, o.place, :schema.gatepost_slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had
    FROM :schema.gatepost_event e JOIN :schema.gatepost_task t ON t.id = e.task JOIN :schema.gatepost_webhook w ON w.id = t.webhook AND NOT w.gone
    JOIN :schema.gatepost_owner o ON o.owner = e.owner AND NOT o.gone
    WHERE e.id = $4
), own AS MATERIALIZED (
    SELECT o.owner, o.place, :schema.gatepost_slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had, coalesce(u.bytes, 0) AS used
    FROM :schema.gatepost_task t JOIN :schema.gatepost_webhook w ON w.id = t.webhook AND NOT w.gone
    JOIN :schema.gatepost_owner o ON o.owner = t.owner AND NOT o.gone
    LEFT JOIN :schema.gatepost_record_usage u ON u.owner = t.owner
    WHERE t.id = :value.task:
), judged AS MATERIALIZED (
    SELECT CASE WHEN old.id IS NULL THEN 'missing' WHEN NOT old.had THEN 'again' WHEN old.revision <> $5 THEN 'stale'
        WHEN own.owner IS NULL THEN 'reference' WHEN NOT own.had THEN 'again'
        WHEN own.owner = old.owner AND $2::bigint > old.bytes AND own.used + $2::bigint - old.bytes > $3::bigint THEN 'bytes'
        WHEN own.owner <> old.owner AND own.used + $2::bigint > $3::bigint THEN 'bytes'
        ELSE 'ok' END AS verdict
    FROM (SELECT) one LEFT JOIN old ON true LEFT JOIN own ON true
), stored AS (
    UPDATE :schema.gatepost_event SET revision = revision + 1, modified = $1, owner = own.owner, bytes = $2::bigint, :sets
    FROM own WHERE id = $4 AND (SELECT verdict FROM judged) = 'ok'
    RETURNING gatepost_event.*
), log AS MATERIALIZED (
    SELECT old.place, 2::smallint AS kind, s.id AS record, NULL::uuid AS owner FROM stored s, old
    UNION ALL SELECT own.place, 2, s.id, NULL FROM stored s, own, old WHERE own.place <> old.place
), delta AS MATERIALIZED (
    SELECT old.owner, 0 AS webhooks, 0 AS tasks, -1 AS events, -old.bytes AS bytes FROM stored s, old
    UNION ALL SELECT s.owner, 0, 0, 1, s.bytes FROM stored s
)
