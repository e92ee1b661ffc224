-- $1: webhooks. $2, $3: hours. In the order of $1.
SELECT c.webhook, max(c.hour) AS hour, sum(c.sent)::bigint AS sent, sum(c.failed)::bigint AS failed,
    sum(c.retried)::bigint AS retried, sum(c.milliseconds)::bigint AS milliseconds, sum(c.bytes)::bigint AS bytes
FROM unnest($1::bigint[]) WITH ORDINALITY AS a (webhook, place)
    JOIN :schema.gatepost_webhook w ON w.id = a.webhook AND NOT w.gone
    JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
    JOIN :schema.gatepost_count c ON c.webhook = w.id AND c.hour >= $2 AND c.hour < $3
GROUP BY a.place, c.webhook ORDER BY a.place
