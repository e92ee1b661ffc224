SELECT owner, place, held FROM gatepost_owner INDEXED BY gatepost_owner_held
WHERE held = 1 AND owner > ?1 ORDER BY owner LIMIT ?2
