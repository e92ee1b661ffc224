-- $1: limit. Deleted webhooks of which nothing is left. Nothing can be added to them: a transaction
-- that stores a delivery or a task checks that its webhook exists, under a lock that its deletion
-- waited for.
WITH last AS MATERIALIZED (
    SELECT w.id FROM :schema.gatepost_webhook w WHERE w.gone
        AND (SELECT d.id FROM :schema.gatepost_delivery d WHERE d.webhook = ANY (ARRAY[w.id])
            ORDER BY d.webhook, d.id LIMIT 1) IS NULL
        AND (SELECT d.id FROM :schema.gatepost_delivery_old d WHERE d.webhook = w.id LIMIT 1) IS NULL
        AND (SELECT t.id FROM :schema.gatepost_task t WHERE t.webhook = w.id LIMIT 1) IS NULL
        AND (SELECT q.id FROM :schema.gatepost_queue q WHERE q.webhook = ANY (ARRAY[w.id])
            ORDER BY q.webhook, q.id LIMIT 1) IS NULL
    ORDER BY w.id LIMIT $1 FOR UPDATE SKIP LOCKED
), rejected AS (
    DELETE FROM :schema.gatepost_rejected WHERE webhook = ANY (ARRAY(SELECT id FROM last))
), counts AS (
    DELETE FROM :schema.gatepost_count WHERE webhook = ANY (ARRAY(SELECT id FROM last))
)
DELETE FROM :schema.gatepost_webhook WHERE id = ANY (ARRAY(SELECT id FROM last))
