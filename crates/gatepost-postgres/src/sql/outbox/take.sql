-- $1: holder. $2: limit. $3: until. $4: now. Takes the audience that was taken longest ago, and its
-- rows; one row without an id if it has none. If none is ready, takes one that this holder has
-- already.
WITH free AS MATERIALIZED (
    SELECT t.ctid FROM :schema.gatepost_outbox_turn t WHERE t.ready ORDER BY t.taken, t.tenant, t.owner LIMIT 1 FOR UPDATE SKIP LOCKED
), own AS MATERIALIZED (
    SELECT t.ctid FROM :schema.gatepost_outbox_turn t
    WHERE t.holder = $1 AND (SELECT f.ctid FROM free f) IS NULL AND (
        SELECT o.id FROM :schema.gatepost_occurrence o
        WHERE o.rejected IS NULL AND :schema.gatepost_id(o.tenant) = t.tenant AND :schema.gatepost_id(o.owner) = t.owner AND o.due <= $4
        ORDER BY o.due, o.id LIMIT 1) IS NOT NULL
    ORDER BY t.taken LIMIT 1 FOR UPDATE SKIP LOCKED
), got AS (
    UPDATE :schema.gatepost_outbox_turn t SET ready = false, holder = $1, due = $3, taken = nextval(':schema.gatepost_outbox_taken')
    WHERE t.ctid = ANY (ARRAY(SELECT f.ctid FROM free f UNION ALL SELECT w.ctid FROM own w)) RETURNING t.tenant, t.owner
)
SELECT g.tenant AS of_tenant, g.owner AS of_owner, r.id, r.event_type, r.event, r.object_id, r.object_name, r.tags::text AS tags,
    r.variables::text AS variables, r.data::text AS data, r.webhooks::text AS webhooks, r.channel, r.occurrence_id, r.tenant, r.owner, r.operators, r.after_task, r.tasks::text AS tasks, r.turn, r.created, r.trace, r.run_by
FROM got g LEFT JOIN LATERAL (
    SELECT o.* FROM :schema.gatepost_occurrence o
    WHERE o.rejected IS NULL AND :schema.gatepost_id(o.tenant) = g.tenant AND :schema.gatepost_id(o.owner) = g.owner AND o.due <= $4
    ORDER BY o.due, o.id LIMIT $2
) r ON true
ORDER BY r.due, r.id
