-- $1, $2: audiences. $3: rows of each. $4: now. First the oldest of each, then the second of each.
SELECT r.id, r.event_type, r.event, r.object_id, r.object_name, r.tags::text AS tags, r.variables::text AS variables, r.occurrence_id,
    r.tenant, r.owner, r.operators, r.after_task, r.tasks::text AS tasks, r.turn, r.created
FROM unnest($1::bigint[], $2::bigint[]) AS a (tenant, owner)
CROSS JOIN LATERAL (
    SELECT o.*, row_number() OVER (ORDER BY o.due, o.id) AS round FROM gatepost_occurrence o
    WHERE o.rejected IS NULL AND coalesce(o.tenant, 0) = a.tenant AND coalesce(o.owner, 0) = a.owner AND o.due <= $4
    ORDER BY o.due, o.id LIMIT $3
) r
ORDER BY r.round, r.due, r.id
