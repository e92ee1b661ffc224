-- $1: how many of each webhook to keep. $2: limit. Picked for gone/attempts_picked.sql.
SELECT set_config('gatepost.picked', ARRAY(
    SELECT d.id
    FROM gatepost_webhook w JOIN gatepost_owner o ON o.owner = w.owner AND NOT o.gone
    CROSS JOIN LATERAL (
        SELECT id FROM gatepost_delivery WHERE webhook = w.id AND state IN ('sent', 'error')
        ORDER BY webhook DESC, id DESC OFFSET $1 LIMIT 1
    ) last
    JOIN gatepost_delivery d ON d.webhook = w.id AND d.id <= last.id
    WHERE d.state IN ('sent', 'error') AND NOT w.gone
    ORDER BY d.id LIMIT $2 FOR UPDATE OF d)::text, true)
