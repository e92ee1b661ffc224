-- $1: key. $2: from this day. $3: before this one. $4: limit. The newest day first.
SELECT u.day, u.used, u.refused FROM :schema.gatepost_key_use u
JOIN :schema.gatepost_key k ON k.id = u.key JOIN :schema.gatepost_owner o ON o.owner = k.owner AND NOT o.gone
WHERE u.key = $1 AND u.day >= $2 AND u.day < $3 ORDER BY u.day DESC LIMIT $4
