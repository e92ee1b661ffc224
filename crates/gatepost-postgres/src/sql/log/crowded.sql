-- $1: how many. Webhooks that are to be looked at again, from where the last call ended.
SELECT w.id FROM :schema.gatepost_webhook w WHERE w.crowded AND w.id > (SELECT k.webhook FROM :schema.gatepost_kept k) ORDER BY w.id LIMIT $1
