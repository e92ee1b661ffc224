-- $1: limit. Events of tasks of deleted webhooks.
DELETE FROM :schema.gatepost_event WHERE id = ANY (ARRAY(
    SELECT e.id FROM :schema.gatepost_webhook w JOIN :schema.gatepost_task t ON t.webhook = w.id CROSS JOIN LATERAL (
        SELECT e.id FROM :schema.gatepost_event e WHERE e.task = t.id ORDER BY e.task, e.id LIMIT $1) e
    WHERE w.gone LIMIT $1))
