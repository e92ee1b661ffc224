-- $1: name. $2: holder. $3: until. $4: now.
INSERT INTO :schema.gatepost_lease AS l (name, holder, until) VALUES ($1, $2, $3)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE l.holder = excluded.holder OR l.until <= $4
RETURNING 1
