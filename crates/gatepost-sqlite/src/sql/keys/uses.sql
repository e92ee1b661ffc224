-- ?1: key. ?2: from this day. ?3: before this one. ?4: limit. The newest day first.
SELECT u.day, u.used, u.refused FROM gatepost_key_use u
WHERE u.key = ?1 AND u.day >= ?2 AND u.day < ?3
    AND EXISTS (SELECT 1 FROM gatepost_key k
        WHERE k.id = ?1 AND k.id > (SELECT o.gone_keys FROM gatepost_owner o WHERE o.owner = k.owner))
ORDER BY u.day DESC LIMIT ?4
