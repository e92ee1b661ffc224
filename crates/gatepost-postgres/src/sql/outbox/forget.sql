-- $1: limit. Audiences without rows that were taken long ago: their position in the order of turns
-- no longer matters.
DELETE FROM :schema.gatepost_outbox_turn WHERE ctid = ANY (ARRAY(
    SELECT t.ctid FROM :schema.gatepost_outbox_turn t
    WHERE NOT t.ready AND t.due = 'infinity' AND t.holder IS NULL AND t.taken < (SELECT s.last_value - 100000 FROM :schema.gatepost_outbox_taken s)
    LIMIT $1 FOR UPDATE SKIP LOCKED))
