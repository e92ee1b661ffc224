SELECT tenant, owner FROM gatepost_outbox_turn INDEXED BY gatepost_outbox_turn_ready WHERE due IS NULL ORDER BY turn LIMIT 1
