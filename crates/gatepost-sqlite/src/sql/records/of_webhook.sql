-- The usage of a webhook: its tasks and their events.
SELECT (SELECT count(*) FROM gatepost_task t WHERE t.webhook = ?1 AND t.gone = 0),
       (SELECT coalesce(sum(t.bytes), 0) FROM gatepost_task t WHERE t.webhook = ?1 AND t.gone = 0),
       (SELECT count(*) FROM gatepost_task t CROSS JOIN gatepost_event e ON e.task = t.id WHERE t.webhook = ?1 AND t.gone = 0),
       (SELECT coalesce(sum(e.bytes), 0) FROM gatepost_task t CROSS JOIN gatepost_event e ON e.task = t.id
        WHERE t.webhook = ?1 AND t.gone = 0)
