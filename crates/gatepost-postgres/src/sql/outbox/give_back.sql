-- $1, $2: audience. $3: holder. Sets the time at which the remaining rows are due.
UPDATE :schema.gatepost_outbox_turn t SET holder = NULL, due = coalesce((
    SELECT o.due FROM :schema.gatepost_occurrence o
    WHERE o.rejected IS NULL AND :schema.gatepost_id(o.tenant) = $1 AND :schema.gatepost_id(o.owner) = $2
    ORDER BY o.due, o.id LIMIT 1), 'infinity')
WHERE t.tenant = $1 AND t.owner = $2 AND t.holder = $3
