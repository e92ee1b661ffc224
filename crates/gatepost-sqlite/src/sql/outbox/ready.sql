-- ?1: holder. Among the audiences without a holder, or of this holder.
SELECT tenant, owner, turn FROM (
    SELECT * FROM (SELECT tenant, owner, turn FROM gatepost_outbox_turn INDEXED BY gatepost_outbox_turn_ready
        WHERE due IS NULL ORDER BY turn, tenant, owner LIMIT 1)
    UNION ALL
    SELECT * FROM (SELECT tenant, owner, turn FROM gatepost_outbox_turn INDEXED BY gatepost_outbox_turn_held
        WHERE holder IS NOT NULL AND holder = ?1 ORDER BY turn, tenant, owner LIMIT 1))
ORDER BY turn, tenant, owner LIMIT 1
