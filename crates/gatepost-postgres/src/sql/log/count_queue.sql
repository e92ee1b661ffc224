-- $1: now. Deleted webhooks are not counted, even if their deliveries are not removed yet.
WITH gone AS MATERIALIZED (
    SELECT w.id FROM :schema.gatepost_webhook w WHERE w.gone
    UNION SELECT w.id FROM :schema.gatepost_owner o JOIN :schema.gatepost_webhook w ON w.owner = o.owner WHERE o.gone
), counted AS MATERIALIZED (
    SELECT (SELECT count(*) FROM :schema.gatepost_queue)
           - (SELECT count(*) FROM gone g JOIN :schema.gatepost_queue q ON q.webhook = g.id) AS queued,
        CASE WHEN (SELECT count(*) FROM gone) = 0 THEN (SELECT coalesce(sum(open), 0) FROM :schema.gatepost_running) ELSE (
            SELECT count(*) FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (delivery)
            JOIN :schema.gatepost_delivery_all r ON r.id = u.delivery
            WHERE r.webhook <> ALL (ARRAY(SELECT id FROM gone))
              AND (SELECT e.token FROM :schema.gatepost_outcome_all e WHERE e.delivery = u.delivery AND e.token = g.id) IS NULL) END AS running,
        (SELECT count(*) FROM :schema.gatepost_occurrence WHERE rejected IS NULL) AS outbox,
        (SELECT q.due FROM :schema.gatepost_queue q JOIN :schema.gatepost_webhook w ON w.id = q.webhook AND w.activity = 'active' AND NOT w.gone
         JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT (o.held OR o.gone) AND o.moving IS NULL
         WHERE q.class >= 0 ORDER BY q.due, q.id LIMIT 1) AS oldest_due
)
INSERT INTO :schema.gatepost_figure AS f (counted, queued, running, outbox, oldest_due)
SELECT $1, queued, running, outbox, oldest_due FROM counted
ON CONFLICT (one) DO UPDATE SET counted = excluded.counted, queued = excluded.queued, running = excluded.running,
    outbox = excluded.outbox, oldest_due = excluded.oldest_due
RETURNING f.counted, f.queued, f.running, f.outbox, f.oldest_due
