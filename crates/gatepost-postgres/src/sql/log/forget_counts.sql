-- $1: limit. $2: what is before goes.
DELETE FROM :schema.gatepost_count c USING (SELECT webhook, hour FROM :schema.gatepost_count WHERE hour < $2 ORDER BY hour, webhook LIMIT $1) old
WHERE c.webhook = old.webhook AND c.hour = old.hour
