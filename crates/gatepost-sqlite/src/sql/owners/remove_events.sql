DELETE FROM gatepost_event WHERE id IN (
    SELECT id FROM gatepost_event INDEXED BY gatepost_event_of_task WHERE task = ?1 LIMIT ?2)
