-- $1: the first owner to list. $2: limit.
SELECT o.owner, o.place, o.held FROM :schema.gatepost_owner o
WHERE NOT o.known AND NOT o.gone AND o.owner >= $1 AND (
    (SELECT k.id FROM :schema.gatepost_key k WHERE k.owner = o.owner LIMIT 1) IS NOT NULL
    OR (SELECT w.id FROM :schema.gatepost_webhook w WHERE w.owner = o.owner AND NOT w.gone LIMIT 1) IS NOT NULL)
ORDER BY o.owner LIMIT $2
