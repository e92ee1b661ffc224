-- Deleted webhooks are few, and looked up.
SELECT (SELECT count(*) FROM gatepost_queue)
        - (SELECT count(*) FROM gatepost_gone_webhook g
           CROSS JOIN gatepost_queue q INDEXED BY gatepost_queue_of_webhook ON q.webhook = g.id) AS queued,
       (SELECT count(*) FROM gatepost_occurrence INDEXED BY gatepost_occurrence_turns WHERE rejected IS NULL) AS outbox
