-- $1: id. $2: how many. $3: time. The webhooks of the next deliveries after that id, the last of them, and up to which id no other
-- can come any more: before the first that was created after that time.
SELECT count(*) AS found, max(d.id) AS last, coalesce(min(d.id) FILTER (WHERE d.created > $3) - 1, max(d.id)) AS settled,
       array_agg(DISTINCT d.webhook) AS webhooks
FROM (SELECT d.id, d.webhook, d.created FROM :schema.gatepost_delivery d WHERE d.id > $1 ORDER BY d.id LIMIT $2) d
