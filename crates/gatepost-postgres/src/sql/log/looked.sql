-- $1: up to which delivery was looked at. $2: the last of the crowded webhooks. $3: how many are shown.
UPDATE :schema.gatepost_kept SET delivery = $1, webhook = $2, newest = $3 WHERE (delivery, webhook, newest) IS DISTINCT FROM ($1, $2, $3)
