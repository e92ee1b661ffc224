SELECT w.id FROM gatepost_owner o INDEXED BY gatepost_owner_of_place
CROSS JOIN gatepost_webhook w INDEXED BY gatepost_webhook_of_owner ON w.owner = o.owner
WHERE o.place = ?1 AND w.gone = 0
