-- $1..$8: webhook, hour, sent, failed, retried, milliseconds, bytes, time of the last sent. In
-- order, so that two calls never wait for each other in a circle.
INSERT INTO :schema.gatepost_count AS c (webhook, hour, sent, failed, retried, milliseconds, bytes, last_sent)
SELECT a.webhook, a.hour, sum(a.sent)::bigint, sum(a.failed)::bigint, sum(a.retried)::bigint, sum(a.milliseconds)::bigint, sum(a.bytes)::bigint, max(a.last_sent)
FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::timestamptz[])
    AS a (webhook, hour, sent, failed, retried, milliseconds, bytes, last_sent)
WHERE (SELECT w.id FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
       WHERE w.id = a.webhook AND NOT w.gone) IS NOT NULL
GROUP BY a.webhook, a.hour ORDER BY a.webhook, a.hour
ON CONFLICT (webhook, hour) DO UPDATE SET sent = c.sent + excluded.sent, failed = c.failed + excluded.failed,
    retried = c.retried + excluded.retried, milliseconds = c.milliseconds + excluded.milliseconds, bytes = c.bytes + excluded.bytes,
    last_sent = greatest(c.last_sent, excluded.last_sent)
