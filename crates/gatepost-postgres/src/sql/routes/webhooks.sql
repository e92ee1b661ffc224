-- $1: realm. $2: limit. The webhooks that an enabled task sends to.
SELECT :columns
FROM :schema.gatepost_owner o JOIN :schema.gatepost_webhook w ON w.owner = o.owner
WHERE o.place = $1 AND NOT o.held AND NOT o.gone AND NOT w.gone
    AND (SELECT t.id FROM :schema.gatepost_task t WHERE t.webhook = w.id AND t.enabled LIMIT 1) IS NOT NULL
ORDER BY w.id LIMIT $2
