-- The usage of a task: its events.
SELECT count(*), coalesce(sum(bytes), 0) FROM gatepost_event INDEXED BY gatepost_event_of_task WHERE task = ?1
