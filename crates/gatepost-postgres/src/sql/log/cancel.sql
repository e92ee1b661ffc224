-- $1: ids. $2: reason.
UPDATE gatepost_delivery SET state = 'error', status_info = $2
WHERE id = ANY (ARRAY(
    SELECT id FROM gatepost_delivery WHERE id = ANY ($1::bigint[]) AND state = 'queued' ORDER BY id FOR UPDATE))
