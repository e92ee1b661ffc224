-- $1: a time. What was created before is not shown any more, once it has ended.
UPDATE :schema.gatepost_kept SET created_before = $1 WHERE created_before < $1
