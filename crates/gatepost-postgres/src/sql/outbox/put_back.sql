-- $1: row. $2: turn. $3: due, or $4: why it is set aside. The row counts as new: its audience is
-- listed again.
UPDATE :schema.gatepost_occurrence
SET due = coalesce($3, due), turn = turn + ($3::timestamptz IS NOT NULL)::int, arrived = pg_current_xact_id(), rejected = $4::text
WHERE id = $1 AND (turn = $2 OR $4::text IS NOT NULL) AND rejected IS NULL
