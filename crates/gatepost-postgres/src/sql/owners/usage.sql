-- $1: an owner. Returns their usage; no row for one who is deleted, or never had records.
SELECT (SELECT count(*) FROM :schema.gatepost_key k WHERE k.owner = o.owner) AS keys,
    coalesce(u.webhooks, 0) AS webhooks, coalesce(u.tasks, 0) AS tasks, coalesce(u.events, 0) AS events, coalesce(u.bytes, 0) AS bytes
FROM :schema.gatepost_owner o LEFT JOIN :schema.gatepost_record_usage u USING (owner)
WHERE o.owner = $1 AND NOT o.gone
