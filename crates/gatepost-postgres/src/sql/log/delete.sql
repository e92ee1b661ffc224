-- $1: the delivery, if it is there; picked for gone/attempts_picked.sql.
SELECT set_config('gatepost.picked', ARRAY(
    SELECT d.id FROM gatepost_delivery d JOIN gatepost_webhook w ON w.id = d.webhook AND NOT w.gone
    JOIN gatepost_owner o ON o.owner = d.owner AND NOT o.gone
    WHERE d.id = $1 FOR UPDATE OF d)::text, true)
