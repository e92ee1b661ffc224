-- $1: now. Audiences whose time has come stand in line; those that somebody held until now too.
UPDATE :schema.gatepost_outbox_turn SET ready = true, holder = NULL WHERE ctid = ANY (ARRAY(
    SELECT t.ctid FROM :schema.gatepost_outbox_turn t WHERE NOT t.ready AND t.due <= $1 ORDER BY t.due LIMIT 100 FOR UPDATE SKIP LOCKED))
