-- $1, $2: audience. $3: before this row. $4: limit.
SELECT o.id, o.after_task, o.tasks::text AS tasks, o.due FROM :schema.gatepost_occurrence o
WHERE o.rejected IS NULL AND :schema.gatepost_id(o.tenant) = $1 AND :schema.gatepost_id(o.owner) = $2 AND o.id < $3
ORDER BY o.id LIMIT $4
