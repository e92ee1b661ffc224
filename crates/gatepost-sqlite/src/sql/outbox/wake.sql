-- Makes audiences ready that have become due, or whose holder's time has ended. The rest comes with
-- the next call.
UPDATE gatepost_outbox_turn SET due = NULL, holder = NULL WHERE (tenant, owner) IN (
    SELECT tenant, owner FROM gatepost_outbox_turn INDEXED BY gatepost_outbox_turn_later
    WHERE due IS NOT NULL AND due <= ?1 ORDER BY due LIMIT 100)
