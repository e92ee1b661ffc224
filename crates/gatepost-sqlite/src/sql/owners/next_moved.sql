SELECT owner, moved FROM gatepost_owner INDEXED BY gatepost_owner_unfinished
WHERE unfinished = 1 AND moved > 0 AND owner > ?1 ORDER BY owner LIMIT 1
