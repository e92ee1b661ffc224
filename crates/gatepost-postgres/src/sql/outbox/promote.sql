-- $1: now. Makes audiences ready that have become due, or whose holder's time has ended.
UPDATE :schema.gatepost_outbox_turn SET ready = true, holder = NULL WHERE ctid = ANY (ARRAY(
    SELECT t.ctid FROM :schema.gatepost_outbox_turn t WHERE NOT t.ready AND t.due <= $1 ORDER BY t.due LIMIT 100 FOR UPDATE SKIP LOCKED))
