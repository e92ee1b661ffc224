-- $1: a time. What was created before is not shown any more, once it has ended. $2: an id; all before it were created before.
UPDATE :schema.gatepost_kept SET created_before = $1, first = $2 WHERE created_before < $1
