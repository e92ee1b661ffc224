-- $1: limit. Picks the oldest deliveries of deleted webhooks; the next statements remove them from
-- the queue and delete them.
SELECT set_config('gatepost.picked', ARRAY(
    SELECT d.id FROM :schema.gatepost_webhook w
    CROSS JOIN LATERAL (
        (SELECT d.id FROM :schema.gatepost_delivery_old d WHERE d.webhook = w.id ORDER BY d.webhook, d.id LIMIT $1)
        UNION ALL
        (SELECT d.id FROM :schema.gatepost_delivery d WHERE d.webhook = ANY (ARRAY[w.id])
         ORDER BY d.webhook, d.id LIMIT $1)) d
    WHERE w.gone LIMIT $1)::text, true)
