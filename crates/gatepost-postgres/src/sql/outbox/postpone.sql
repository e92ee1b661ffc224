-- $1: row. $2: turn. $3: due. It has arrived again: its audience is listed once more.
UPDATE :schema.gatepost_occurrence SET due = $3, turn = turn + 1, arrived = pg_current_xact_id() WHERE id = $1 AND turn = $2 AND rejected IS NULL
