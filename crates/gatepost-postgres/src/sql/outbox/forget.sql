-- $1: limit. Audiences that have nothing and of whom many others came since: their place in line does not matter any more.
DELETE FROM :schema.gatepost_outbox_turn WHERE ctid = ANY (ARRAY(
    SELECT t.ctid FROM :schema.gatepost_outbox_turn t
    WHERE NOT t.ready AND t.due = 'infinity' AND t.holder IS NULL AND t.taken < (SELECT s.last_value - 100000 FROM :schema.gatepost_outbox_taken s)
    LIMIT $1 FOR UPDATE SKIP LOCKED))
