-- ?1: shard. ?2: generation. ?3: the number of changes that are remembered.
UPDATE gatepost_key_shard SET generation = ?2, forgotten = max(forgotten, coalesce(
    (SELECT k.generation FROM gatepost_key_change k WHERE k.shard = ?1 ORDER BY k.generation DESC LIMIT 1 OFFSET ?3), 0))
WHERE shard = ?1
RETURNING forgotten
