-- $1: ids. $2: reason.
UPDATE gatepost_delivery SET state = 'error', status_info = $2
WHERE id = ANY (ARRAY(
    SELECT d.id FROM gatepost_delivery d JOIN gatepost_webhook w ON w.id = d.webhook AND NOT w.gone
    JOIN gatepost_owner o ON o.owner = d.owner AND NOT o.gone
    WHERE d.id = ANY ($1::bigint[]) AND d.state || '' = 'queued' ORDER BY d.id FOR UPDATE OF d))
