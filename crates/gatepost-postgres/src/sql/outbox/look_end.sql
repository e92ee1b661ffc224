    FOR UPDATE
), first AS MATERIALIZED (
    SELECT true AS late, m.* FROM was w CROSS JOIN LATERAL unnest(w.open, w.tenants, w.owners) AS x (arrived, tenant, owner)
    CROSS JOIN LATERAL (
        SELECT o.arrived, :schema.gatepost_id(o.tenant) AS tenant, :schema.gatepost_id(o.owner) AS owner, o.due FROM :schema.gatepost_occurrence o
        WHERE o.rejected IS NULL AND o.arrived = x.arrived
          AND (o.arrived, :schema.gatepost_id(o.tenant), :schema.gatepost_id(o.owner)) > (x.arrived, x.tenant, x.owner)
        ORDER BY o.arrived, :schema.gatepost_id(o.tenant), :schema.gatepost_id(o.owner), o.due LIMIT 1) m
    UNION ALL
    SELECT true, m.* FROM was w CROSS JOIN LATERAL unnest(w.open, w.tenants) AS x (arrived, tenant)
    CROSS JOIN LATERAL (
        SELECT o.arrived, :schema.gatepost_id(o.tenant) AS tenant, :schema.gatepost_id(o.owner) AS owner, o.due FROM :schema.gatepost_occurrence o
        WHERE o.rejected IS NULL AND o.arrived = x.arrived
        ORDER BY o.arrived, :schema.gatepost_id(o.tenant), :schema.gatepost_id(o.owner), o.due LIMIT 1) m
    WHERE x.tenant IS NULL
    UNION ALL
    SELECT false, m.* FROM was w CROSS JOIN LATERAL (
        SELECT o.arrived, :schema.gatepost_id(o.tenant) AS tenant, :schema.gatepost_id(o.owner) AS owner, o.due FROM :schema.gatepost_occurrence o
        WHERE o.rejected IS NULL AND o.arrived > w.done
        ORDER BY o.arrived, :schema.gatepost_id(o.tenant), :schema.gatepost_id(o.owner), o.due LIMIT 1) m
), new (late, arrived, tenant, owner, due, n, most) AS (
    SELECT f.*, 1::bigint, greatest(1, 2000 / (SELECT count(*) FROM first)) FROM first f
    UNION ALL
    SELECT r.late, m.*, r.n + 1, r.most FROM new r CROSS JOIN LATERAL (
        SELECT o.arrived, :schema.gatepost_id(o.tenant) AS tenant, :schema.gatepost_id(o.owner) AS owner, o.due FROM :schema.gatepost_occurrence o
        WHERE o.rejected IS NULL AND (o.arrived, :schema.gatepost_id(o.tenant), :schema.gatepost_id(o.owner)) > (r.arrived, r.tenant, r.owner)
        ORDER BY o.arrived, :schema.gatepost_id(o.tenant), :schema.gatepost_id(o.owner), o.due LIMIT 1) m
    WHERE r.n < r.most AND (m.arrived = r.arrived OR NOT r.late)
), seen AS MATERIALIZED (
    SELECT coalesce((SELECT n.arrived FROM new n WHERE NOT n.late ORDER BY n.arrived DESC LIMIT 1), w.done) AS done, w.open FROM was w
), left_open AS MATERIALIZED (
    SELECT n.arrived, n.tenant, n.owner FROM new n WHERE n.n = n.most
    UNION ALL
    SELECT x.arrived, x.tenant, x.owner FROM was w CROSS JOIN LATERAL unnest(w.open, w.tenants, w.owners) AS x (arrived, tenant, owner)
    WHERE NOT pg_visible_in_snapshot(x.arrived, pg_current_snapshot())
    UNION ALL
    SELECT x, NULL, NULL FROM seen s CROSS JOIN LATERAL pg_snapshot_xip(pg_current_snapshot()) AS x
    WHERE x < s.done AND x <> ALL (s.open)
), looked AS (
    UPDATE :schema.gatepost_outbox_look SET done = s.done, open = a.open, tenants = a.tenants, owners = a.owners
    FROM seen s CROSS JOIN (
        SELECT coalesce(array_agg(x.arrived), '{}') AS open, coalesce(array_agg(x.tenant), '{}') AS tenants,
               coalesce(array_agg(x.owner), '{}') AS owners FROM left_open x) a
), listed AS (
    -- A row of an audience with a holder is found when the audience is given back.
    INSERT INTO :schema.gatepost_outbox_turn AS t (tenant, owner, due)
    SELECT n.tenant, n.owner, min(n.due) FROM new n GROUP BY n.tenant, n.owner ORDER BY n.tenant, n.owner
    ON CONFLICT (tenant, owner) DO UPDATE SET due = excluded.due WHERE t.holder IS NULL AND NOT t.ready AND excluded.due < t.due
)
SELECT EXISTS (SELECT FROM new n WHERE n.n = n.most) AS more
