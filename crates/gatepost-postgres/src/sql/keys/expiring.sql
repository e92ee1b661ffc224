-- $1: time. $2: row number. $3: before this time. $4: limit. Keys beyond ($1, $2), in order of
-- expiry.
FROM :schema.gatepost_key r JOIN :schema.gatepost_owner o ON o.owner = r.owner
WHERE NOT o.gone AND (r.expires, r.id) > ($1, $2) AND r.expires < $3 ORDER BY r.expires, r.id LIMIT $4
