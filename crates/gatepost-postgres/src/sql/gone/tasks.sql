-- $1: limit. Tasks of deleted webhooks, after their events.
DELETE FROM :schema.gatepost_task WHERE id = ANY (ARRAY(
    SELECT t.id FROM :schema.gatepost_webhook w CROSS JOIN LATERAL (
        SELECT t.id FROM :schema.gatepost_task t WHERE t.webhook = w.id
            AND (SELECT e.id FROM :schema.gatepost_event e WHERE e.task = t.id LIMIT 1) IS NULL ORDER BY t.webhook, t.id LIMIT $1) t
    WHERE w.gone LIMIT $1))
