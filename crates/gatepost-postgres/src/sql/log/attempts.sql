-- $1: the delivery.
SELECT a.* FROM gatepost_attempt a JOIN gatepost_delivery d ON d.id = a.delivery
JOIN gatepost_webhook w ON w.id = d.webhook AND NOT w.gone JOIN gatepost_owner o ON o.owner = d.owner AND NOT o.gone
WHERE a.delivery = $1 ORDER BY a.number
