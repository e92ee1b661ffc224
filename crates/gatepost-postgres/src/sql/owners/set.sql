-- $1: owner. $2, $3: the new place and its tenant, or NULL to stay. $4: whether held, or NULL to leave that. Of an owner
-- who moves, what waits is remembered by the newest delivery: the old place is locked, none is being stored.
WITH old AS MATERIALIZED (
    SELECT o.*, coalesce($2::text, o.place) AS new_place, CASE WHEN $2::text IS NULL THEN o.tenant ELSE $3::uuid END AS new_tenant,
           coalesce($4::boolean, o.held) AS new_held,
           :slot(o.place) = ANY (current_setting('gatepost.held')::int[])
           AND :slot(coalesce($2::text, o.place)) = ANY (current_setting('gatepost.held')::int[]) AS had
    FROM :schema.gatepost_owner o WHERE o.owner = $1
), judged AS MATERIALIZED (
    SELECT CASE WHEN NOT had THEN 'again' WHEN known AND place = new_place AND held = new_held THEN 'same' ELSE 'ok' END AS verdict
    FROM old
), waits AS MATERIALIZED (
    SELECT q.id FROM old JOIN :schema.gatepost_webhook w ON w.owner = old.owner AND NOT w.gone CROSS JOIN LATERAL (
        SELECT q.id FROM :schema.gatepost_queue q WHERE q.webhook = ANY (ARRAY[w.id])
        ORDER BY q.webhook, q.id LIMIT 1) q
    WHERE old.place <> 'common' AND old.place <> old.new_place
    UNION ALL
    SELECT u.id FROM old, :schema.gatepost_running r CROSS JOIN LATERAL unnest(r.ids) AS u (id) CROSS JOIN LATERAL (
        SELECT d.owner FROM :schema.gatepost_delivery d WHERE d.id = u.id
        UNION ALL SELECT d.owner FROM :schema.gatepost_delivery_old d WHERE d.id = u.id LIMIT 1) d
    WHERE old.place <> 'common' AND old.place <> old.new_place AND d.owner = old.owner
        AND (SELECT o.token FROM :schema.gatepost_outcome_all o WHERE o.delivery = u.id AND o.token = r.id) IS NULL
), stored AS (
    UPDATE :schema.gatepost_owner o SET place = old.new_place, tenant = old.new_tenant, held = old.new_held, known = true,
        moving = CASE WHEN (SELECT max(id) FROM waits) IS NULL THEN o.moving ELSE (SELECT last_value FROM :schema.gatepost_delivery_id_seq) END
    FROM old WHERE o.owner = $1 AND (SELECT verdict FROM judged) = 'ok'
    RETURNING o.owner
), left_behind AS MATERIALIZED (
    -- Every record by name: what is deleted elsewhere has to be forgotten here, though its owner be back by then.
    SELECT 0::smallint AS kind, w.id AS record FROM old JOIN :schema.gatepost_webhook w USING (owner) WHERE NOT w.gone AND old.place <> old.new_place
    UNION ALL SELECT 1, t.id FROM old JOIN :schema.gatepost_task t USING (owner) WHERE old.place <> old.new_place
    UNION ALL SELECT 2, e.id FROM old JOIN :schema.gatepost_event e USING (owner) WHERE old.place <> old.new_place
    LIMIT 5001
), log AS MATERIALIZED (
    -- Of an owner who has more, reading the place again is cheaper.
    SELECT old.place, l.kind, l.record, NULL::uuid AS owner FROM stored s JOIN old USING (owner), left_behind l WHERE (SELECT count(*) FROM left_behind) <= 5000
    UNION ALL SELECT old.place, 5, 0, NULL FROM stored s JOIN old USING (owner) WHERE (SELECT count(*) FROM left_behind) > 5000
    UNION ALL SELECT old.place, 4, 0, NULL FROM stored s JOIN old USING (owner) WHERE old.place <> old.new_place
    UNION ALL SELECT old.new_place, 3, 0, s.owner FROM stored s JOIN old USING (owner)
), delta AS MATERIALIZED (
    SELECT owner, 0 AS webhooks, 0 AS tasks, 0 AS events, 0 AS bytes FROM old WHERE false
)
