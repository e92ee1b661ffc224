-- $1: limit. Takes the oldest deliveries of a webhook that is gone; the next statement removes their attempts, with a view
-- in which every settlement that came first has ended.
SELECT set_config('gatepost.picked', ARRAY(
    SELECT d.id FROM gatepost_webhook w
    CROSS JOIN LATERAL (
        SELECT d.id FROM gatepost_delivery d WHERE d.webhook = w.id ORDER BY d.webhook, d.id LIMIT $1 FOR UPDATE SKIP LOCKED) d
    WHERE w.gone LIMIT $1)::text, true)
