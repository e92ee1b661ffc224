-- $1..$4: webhook, reason, minute, count.
INSERT INTO :schema.gatepost_rejected AS d (webhook, reason, minute, count)
SELECT a.webhook, a.reason, a.minute, sum(a.count)::bigint
FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::bigint[]) AS a (webhook, reason, minute, count)
WHERE (SELECT w.id FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT o.gone
       WHERE w.id = a.webhook AND NOT w.gone) IS NOT NULL
GROUP BY a.webhook, a.reason, a.minute ORDER BY a.webhook, a.reason, a.minute
ON CONFLICT (webhook, reason, minute) DO UPDATE SET count = d.count + excluded.count
