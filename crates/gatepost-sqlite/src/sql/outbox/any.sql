-- ?1: now. ?2: holder.
SELECT 1 FROM (
    SELECT * FROM (SELECT 1 FROM gatepost_outbox_turn INDEXED BY gatepost_outbox_turn_ready WHERE due IS NULL LIMIT 1)
    UNION ALL
    SELECT * FROM (SELECT 1 FROM gatepost_outbox_turn INDEXED BY gatepost_outbox_turn_held
        WHERE holder IS NOT NULL AND holder = ?2 LIMIT 1)
    UNION ALL
    SELECT * FROM (SELECT 1 FROM gatepost_outbox_turn INDEXED BY gatepost_outbox_turn_later
        WHERE due IS NOT NULL AND due <= ?1 LIMIT 1))
