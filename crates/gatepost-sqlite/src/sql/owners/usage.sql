SELECT o.webhooks, o.tasks, o.events, o.bytes,
    (SELECT count(*) FROM gatepost_key k INDEXED BY gatepost_key_of_owner WHERE k.owner = o.owner AND k.id > o.gone_keys) AS keys
FROM gatepost_owner o WHERE o.owner = ?1
