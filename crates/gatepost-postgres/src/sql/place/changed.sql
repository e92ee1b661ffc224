-- The end of every change of a record. `log` has the changes (realm, kind, record, owner), `delta`
-- the changes of an owner's usage. Runs under the realms' locks, so versions of a realm rise in the
-- order of commits.
, moved AS (
    INSERT INTO :schema.gatepost_place AS p (place, version, changes)
    SELECT place, nextval(':schema.gatepost_version'), 1 FROM (SELECT DISTINCT place FROM log) l
    ON CONFLICT (place) DO UPDATE SET version = excluded.version, changes = p.changes + 1
    RETURNING place, version, changes
), logged AS (
    INSERT INTO :schema.gatepost_change (place, version, kind, record, owner, previous, change)
    SELECT DISTINCT m.place, m.version, l.kind, l.record, l.owner, coalesce(before.version, 0), m.changes
    FROM moved m JOIN log l USING (place) LEFT JOIN :schema.gatepost_place before USING (place)
), overdue AS MATERIALIZED (
    -- Trims occasionally, down to the newest 1,000 changes: the oldest rows by the key, either all
    -- of a version or none.
    SELECT m.place, (SELECT max(o.version) FROM (
        SELECT c.version, c.change FROM :schema.gatepost_change c WHERE c.place = m.place
        ORDER BY c.place, c.version, c.kind, c.record LIMIT 1000) o WHERE o.change <= m.changes - 1000) AS version
    FROM moved m WHERE m.changes % 16 = 0
), trimmed AS (
    DELETE FROM :schema.gatepost_change c USING overdue o WHERE c.place = o.place AND c.version <= o.version
), counted AS (
    INSERT INTO :schema.gatepost_record_usage AS u (owner, webhooks, tasks, events, bytes)
    SELECT owner, sum(webhooks), sum(tasks), sum(events), sum(bytes) FROM delta GROUP BY owner
    ON CONFLICT (owner) DO UPDATE SET webhooks = u.webhooks + excluded.webhooks, tasks = u.tasks + excluded.tasks,
        events = u.events + excluded.events, bytes = u.bytes + excluded.bytes
)
