-- $1: owner. $2, $3: the new realm and its tenant, or NULL to stay. $4: whether suspended, or NULL
-- to leave that. When an owner moves, earlier deliveries are identified by the owner's number of
-- moves.
WITH old AS MATERIALIZED (
    SELECT o.*, coalesce($2::text, o.place) AS new_place, CASE WHEN $2::text IS NULL THEN o.tenant ELSE $3::uuid END AS new_tenant,
           coalesce($4::boolean, o.held) AS new_held, o.place <> 'common' AND o.place <> coalesce($2::text, o.place) AS leaves,
           :schema.gatepost_slot(o.place) = ANY (current_setting('gatepost.held')::int[])
           AND :schema.gatepost_slot(coalesce($2::text, o.place)) = ANY (current_setting('gatepost.held')::int[]) AS had
    FROM :schema.gatepost_owner o WHERE o.owner = $1
), judged AS MATERIALIZED (
    SELECT CASE WHEN NOT had THEN 'again' WHEN known AND place = new_place AND held = new_held THEN 'same' ELSE 'ok' END AS verdict
    FROM old
), stored AS (
    UPDATE :schema.gatepost_owner o SET place = old.new_place, tenant = old.new_tenant, held = old.new_held, known = true,
        moves = o.moves + old.leaves::int, moving = CASE WHEN old.leaves THEN o.moves + 1 ELSE o.moving END
    FROM old WHERE o.owner = $1 AND (SELECT verdict FROM judged) = 'ok'
    RETURNING o.owner
), left_behind AS MATERIALIZED (
    -- Every record by name: caches of this realm must drop records that are deleted elsewhere, even
    -- if their owner has returned by then.
    SELECT 0::smallint AS kind, w.id AS record FROM old JOIN :schema.gatepost_webhook w USING (owner) WHERE NOT w.gone AND old.place <> old.new_place
    UNION ALL SELECT 1, t.id FROM old JOIN :schema.gatepost_task t USING (owner) WHERE old.place <> old.new_place
    UNION ALL SELECT 2, e.id FROM old JOIN :schema.gatepost_event e USING (owner) WHERE old.place <> old.new_place
    LIMIT 5001
), log AS MATERIALIZED (
    -- For an owner with more records, reading the realm again is cheaper.
    SELECT old.place, l.kind, l.record, NULL::uuid AS owner FROM stored s JOIN old USING (owner), left_behind l WHERE (SELECT count(*) FROM left_behind) <= 5000
    UNION ALL SELECT old.place, 5, 0, NULL FROM stored s JOIN old USING (owner) WHERE (SELECT count(*) FROM left_behind) > 5000
    UNION ALL SELECT old.place, 4, 0, NULL FROM stored s JOIN old USING (owner) WHERE old.place <> old.new_place
    UNION ALL SELECT old.new_place, 3, 0, s.owner FROM stored s JOIN old USING (owner)
), delta AS MATERIALIZED (
    SELECT owner, 0 AS webhooks, 0 AS tasks, 0 AS events, 0 AS bytes FROM old WHERE false
)
