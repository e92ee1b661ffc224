-- $1: created before. $2: limit. Picked for gone/attempts_picked.sql.
SELECT set_config('gatepost.picked', ARRAY(
    SELECT d.id FROM gatepost_delivery d JOIN gatepost_webhook w ON w.id = d.webhook AND NOT w.gone
    JOIN gatepost_owner o ON o.owner = d.owner AND NOT o.gone
    WHERE d.state IN ('sent', 'error') AND d.created < $1 ORDER BY d.id LIMIT $2 FOR UPDATE OF d)::text, true)
