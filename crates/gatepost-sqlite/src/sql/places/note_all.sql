-- ?1: realm. ?2: change. ?3: version. ?4: an owner, all of whose records are recorded.
INSERT INTO gatepost_route_change (place, change, version, kind, record)
    SELECT ?1, ?2, ?3, 0, id FROM gatepost_webhook INDEXED BY gatepost_webhook_of_owner WHERE owner = ?4
    UNION ALL SELECT ?1, ?2, ?3, 1, id FROM gatepost_task INDEXED BY gatepost_task_of_owner WHERE owner = ?4
    UNION ALL SELECT ?1, ?2, ?3, 2, id FROM gatepost_event INDEXED BY gatepost_event_of_owner WHERE owner = ?4
