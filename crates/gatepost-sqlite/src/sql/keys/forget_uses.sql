-- ?1: key. ?2: the last day that is deleted.
DELETE FROM gatepost_key_use WHERE key = ?1 AND day <= ?2
