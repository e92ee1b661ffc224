SELECT count(*) FROM gatepost_key k INDEXED BY gatepost_key_of_owner
WHERE k.owner = ?1 AND k.id > (SELECT o.gone_keys FROM gatepost_owner o WHERE o.owner = ?1)
