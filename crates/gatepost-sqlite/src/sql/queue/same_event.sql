SELECT 1 FROM gatepost_event e JOIN gatepost_live_task t ON t.id = e.task
WHERE e.id = ?1 AND e.revision = ?2 AND t.held = 0 AND t.moved = 0
