-- $1: moment. $2: row number. $3: before this moment. $4: limit. Beyond ($1, $2), in the order in which they expire.
FROM :schema.gatepost_key r JOIN :schema.gatepost_owner o ON o.owner = r.owner
WHERE NOT o.gone AND (r.expires, r.id) > ($1, $2) AND r.expires < $3 ORDER BY r.expires, r.id LIMIT $4
