-- Webhooks in order that wait for what shares its token with others, as it was claimed before they were in order: looked up once for
-- all lanes.
, ordered AS MATERIALIZED (
    SELECT w.* FROM lane l CROSS JOIN LATERAL (
        SELECT w.id, w.ordered_after, w.beside, w.beside_tokens,
               -- The edit is under way (records/note_beside.sql), or was broken off a moment ago: whoever had claimed before and froze
               -- has lost its transaction after 15 s (settings.rs).
               w.beside IS NULL AND w.modified BETWEEN l.now - interval '15 s' AND l.now + interval '15 s' AS edited
        FROM :schema.gatepost_webhook w WHERE w.id = l.webhook AND w.in_order LIMIT 1) w
), mixed AS MATERIALIZED (
    SELECT m.webhook FROM (
        SELECT w.id AS webhook, u.id, u.token FROM ordered w CROSS JOIN LATERAL unnest(w.beside, w.beside_tokens) AS u (id, token)
        -- (With ANY and ORDER BY a plan made while little ran uses the index of the key, too.)
        WHERE (SELECT r.id FROM :schema.gatepost_running r WHERE r.id = ANY (ARRAY[u.token]) AND u.id = ANY (r.ids)
            ORDER BY r.id LIMIT 1) IS NOT NULL
        UNION ALL
        -- Where that was not noted.
        SELECT d.webhook, u.id, r.id
        FROM :schema.gatepost_running r CROSS JOIN LATERAL unnest(r.ids) AS u (id) CROSS JOIN LATERAL (
            SELECT d.webhook FROM :schema.gatepost_delivery d WHERE d.id = u.id
            UNION ALL SELECT d.webhook FROM :schema.gatepost_delivery_old d WHERE d.id = u.id LIMIT 1) d
        WHERE r.id <= (SELECT max(nullif(w.ordered_after, 0)) FROM ordered w)
    ) m
    WHERE (SELECT o.token FROM :schema.gatepost_outcome_all o WHERE o.delivery = m.id AND o.token = m.token) IS NULL
    UNION ALL SELECT w.id FROM ordered w WHERE w.edited
)
