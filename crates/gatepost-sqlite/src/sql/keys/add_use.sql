-- ?1: key. ?2: day. ?3: used. ?4: refused.
INSERT INTO gatepost_key_use (key, day, used, refused)
SELECT k.id, ?2, ?3, ?4 FROM gatepost_key k
WHERE k.id = ?1 AND k.id > (SELECT o.gone_keys FROM gatepost_owner o WHERE o.owner = k.owner)
ON CONFLICT (key, day) DO UPDATE SET used = used + ?3, refused = refused + ?4
