-- Webhooks of which something may run that shares its token with others, as it was claimed before the webhook was in order:
-- looked up once for all lanes.
, mixed AS MATERIALIZED (
    SELECT DISTINCT d.webhook
    FROM :schema.gatepost_running r CROSS JOIN LATERAL unnest(r.ids) AS u (id) CROSS JOIN LATERAL (
        SELECT d.webhook FROM :schema.gatepost_delivery d WHERE d.id = u.id
        UNION ALL SELECT d.webhook FROM :schema.gatepost_delivery_old d WHERE d.id = u.id LIMIT 1) d
    WHERE r.id <= (SELECT max(w.ordered_after) FROM lane l JOIN :schema.gatepost_webhook w ON w.id = l.webhook WHERE w.in_order)
        AND (SELECT o.token FROM :schema.gatepost_outcome_all o WHERE o.delivery = u.id AND o.token = r.id) IS NULL
)
