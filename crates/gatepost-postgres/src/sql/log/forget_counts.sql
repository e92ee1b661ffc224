-- $1: limit. $2: older rows are deleted.
DELETE FROM :schema.gatepost_count c USING (SELECT webhook, hour FROM :schema.gatepost_count WHERE hour < $2 ORDER BY hour, webhook LIMIT $1) old
WHERE c.webhook = old.webhook AND c.hour = old.hour
