-- Lists the audiences of rows that were committed since the last look, each row once, whenever it commits: `done` is the newest
-- transaction that was looked at, `open` are those before it that had not ended. So what waits is not walked.
-- A loose index scan: a probe for each audience of each transaction, in bites; of one transaction all, and of `open` all.
WITH RECURSIVE was AS MATERIALIZED (
    SELECT l.done, l.open FROM :schema.gatepost_outbox_look l
    WHERE EXISTS (SELECT FROM :schema.gatepost_occurrence o WHERE o.rejected IS NULL AND o.arrived > l.done)
       OR EXISTS (SELECT FROM :schema.gatepost_occurrence o WHERE o.rejected IS NULL AND o.arrived = ANY (l.open))
    FOR UPDATE
), new (late, arrived, tenant, owner, due, n) AS (
    (SELECT true, m.* , 1 FROM was w CROSS JOIN LATERAL unnest(w.open) AS x CROSS JOIN LATERAL (
        SELECT o.arrived, coalesce(o.tenant, 0) AS tenant, coalesce(o.owner, 0) AS owner, o.due FROM :schema.gatepost_occurrence o
        WHERE o.rejected IS NULL AND o.arrived = x
        ORDER BY o.arrived, coalesce(o.tenant, 0), coalesce(o.owner, 0), o.due LIMIT 1) m
     UNION ALL
     SELECT false, m.*, 1 FROM was w CROSS JOIN LATERAL (
        SELECT o.arrived, coalesce(o.tenant, 0) AS tenant, coalesce(o.owner, 0) AS owner, o.due FROM :schema.gatepost_occurrence o
        WHERE o.rejected IS NULL AND o.arrived > w.done
        ORDER BY o.arrived, coalesce(o.tenant, 0), coalesce(o.owner, 0), o.due LIMIT 1) m)
    UNION ALL
    SELECT r.late, m.*, r.n + 1 FROM new r CROSS JOIN LATERAL (
        SELECT o.arrived, coalesce(o.tenant, 0) AS tenant, coalesce(o.owner, 0) AS owner, o.due FROM :schema.gatepost_occurrence o
        WHERE o.rejected IS NULL AND (o.arrived, coalesce(o.tenant, 0), coalesce(o.owner, 0)) > (r.arrived, r.tenant, r.owner)
        ORDER BY o.arrived, coalesce(o.tenant, 0), coalesce(o.owner, 0), o.due LIMIT 1) m
    WHERE m.arrived = r.arrived OR NOT r.late AND r.n < 2000
), seen AS MATERIALIZED (
    SELECT coalesce((SELECT n.arrived FROM new n WHERE NOT n.late ORDER BY n.arrived DESC LIMIT 1), w.done) AS done, w.open FROM was w
), looked AS (
    UPDATE :schema.gatepost_outbox_look SET done = s.done, open = ARRAY(
        SELECT x FROM pg_snapshot_xip(pg_current_snapshot()) AS x WHERE x < s.done
        UNION SELECT x FROM unnest(s.open) AS x WHERE NOT pg_visible_in_snapshot(x, pg_current_snapshot()))
    FROM seen s
), listed AS (
    -- A row of an audience that somebody holds is found when that is given back.
    INSERT INTO :schema.gatepost_outbox_turn AS t (tenant, owner, due)
    SELECT n.tenant, n.owner, min(n.due) FROM new n GROUP BY n.tenant, n.owner ORDER BY n.tenant, n.owner
    ON CONFLICT (tenant, owner) DO UPDATE SET due = excluded.due WHERE t.holder IS NULL AND NOT t.ready AND excluded.due < t.due
)
SELECT (SELECT max(n.n) FROM new n) >= 2000 AS more
