-- $1: now. $2: its bytes. $3: the maximum bytes of the owner. $4: the row. $5: the revision that
-- was read. Then the fields.
WITH old AS MATERIALIZED (
    SELECT w.id, w.owner, w.revision, w.bytes, o.place, coalesce(u.bytes, 0) AS used,
           :schema.gatepost_slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had
    FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
    LEFT JOIN :schema.gatepost_record_usage u ON u.owner = w.owner
    WHERE w.id = $4 AND NOT w.gone
), judged AS MATERIALIZED (
    SELECT coalesce((SELECT CASE WHEN NOT had THEN 'again' WHEN revision <> $5 THEN 'stale'
        WHEN (SELECT w.id FROM :schema.gatepost_webhook w WHERE w.owner = old.owner AND w.name = :value.name: AND NOT w.gone AND w.id <> old.id) IS NOT NULL THEN 'taken'
        WHEN $2::bigint > bytes AND used + $2::bigint - bytes > $3::bigint THEN 'bytes' ELSE 'ok' END FROM old), 'missing') AS verdict
), stored AS (
    UPDATE :schema.gatepost_webhook SET revision = revision + 1, modified = $1, bytes = $2::bigint, :sets,
        -- Deliveries that run at this time may share claims with others, and are found by their
        -- tokens; ordered.sql sets the last of these. A claim that has read no order may draw its
        -- token after this: if the edit is interrupted, 10,000 are more than are drawn while one
        -- claim is under way (remove.rs: 4,096 in a batch).
        ordered_after = CASE WHEN :value.in_order: AND NOT in_order THEN -10000 - (SELECT last_value FROM :schema.gatepost_claim) ELSE ordered_after END
    WHERE id = $4 AND (SELECT verdict FROM judged) = 'ok'
    RETURNING *
), log AS MATERIALIZED (
    SELECT old.place, 0::smallint AS kind, s.id AS record, NULL::uuid AS owner FROM stored s, old
), delta AS MATERIALIZED (
    SELECT s.owner, 0 AS webhooks, 0 AS tasks, 0 AS events, s.bytes - old.bytes AS bytes FROM stored s, old
)
