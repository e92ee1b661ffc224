-- ?1: owner. ?2: name. ?3: lookup id.
DELETE FROM gatepost_key WHERE id IN (
    SELECT k.id FROM gatepost_key k JOIN gatepost_owner o ON o.owner = k.owner
    WHERE ((k.owner = ?1 AND k.name = ?2) OR k.lookup = ?3) AND k.id <= o.gone_keys)
