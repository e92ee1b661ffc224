SELECT owner, place, held FROM gatepost_owner o INDEXED BY gatepost_owner_unplaced
WHERE unplaced = 1 AND owner > ?1
    AND (EXISTS (SELECT 1 FROM gatepost_webhook w WHERE w.owner = o.owner AND w.gone = 0 AND w.id > o.gone_webhooks)
        OR EXISTS (SELECT 1 FROM gatepost_key k INDEXED BY gatepost_key_of_owner WHERE k.owner = o.owner AND k.id > o.gone_keys))
ORDER BY owner LIMIT ?2
