-- The user who ran a task, or triggered an event, by hand, where that waits in the outbox; NULL for everything else, and for what was
-- written before. With a delivery it is a part of its cause. Added without a default: no row is written again.
ALTER TABLE :schema.gatepost_occurrence ADD COLUMN run_by bigint;
