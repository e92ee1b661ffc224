-- $1: now. $2..$16: the record without its owner. $17: its bytes. $18: how many bytes the owner may have. $19: the row.
-- $20: the revision that was read.
WITH old AS MATERIALIZED (
    SELECT w.id, w.owner, w.revision, w.bytes, o.place, coalesce(u.bytes, 0) AS used,
           :slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had
    FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
    LEFT JOIN :schema.gatepost_record_usage u ON u.owner = w.owner
    WHERE w.id = $19 AND NOT w.gone
), judged AS MATERIALIZED (
    SELECT coalesce((SELECT CASE WHEN NOT had THEN 'again' WHEN revision <> $20 THEN 'stale'
        WHEN (SELECT w.id FROM :schema.gatepost_webhook w WHERE w.owner = old.owner AND w.name = $2 AND NOT w.gone AND w.id <> old.id) IS NOT NULL THEN 'taken'
        WHEN $17::bigint > bytes AND used + $17::bigint - bytes > $18::bigint THEN 'bytes' ELSE 'ok' END FROM old), 'missing') AS verdict
), stored AS (
    UPDATE :schema.gatepost_webhook SET revision = revision + 1, modified = $1, name = $2, url = $3, authorization_kind = $4,
        authorization_data = $5, headers = $6, allow_insecure = $7, timeout_s = $8, retries = $9, activity = $10,
        in_order = $11, signing = $12, rate = $13, channels = $14, retry_schedule = $15, client_identity = $16, bytes = $17::bigint,
        -- What runs by now may be among others: note_beside.sql notes it. Where that fails, what it may be is looked for by its tokens.
        -- A claim that has read that there is no order may draw its own after this: 10,000 are more than are drawn while one claim is
        -- under way (remove.rs: 4,096 a bite).
        beside = CASE WHEN $11 AND NOT in_order THEN NULL ELSE beside END,
        beside_tokens = CASE WHEN $11 AND NOT in_order THEN NULL ELSE beside_tokens END,
        ordered_after = CASE WHEN $11 AND NOT in_order THEN (SELECT last_value + 10000 FROM :schema.gatepost_claim) ELSE ordered_after END
    WHERE id = $19 AND (SELECT verdict FROM judged) = 'ok'
    RETURNING *
), log AS MATERIALIZED (
    SELECT old.place, 0::smallint AS kind, s.id AS record, NULL::uuid AS owner FROM stored s, old
), delta AS MATERIALIZED (
    SELECT s.owner, 0 AS webhooks, 0 AS tasks, 0 AS events, s.bytes - old.bytes AS bytes FROM stored s, old
)
