-- ?1: a generation. The shards that have moved after it, and the keys that were changed in them.
SELECT s.slice, s.generation, c.generation AS changed, c.lookup
FROM gatepost_key_slice s LEFT JOIN gatepost_key_change c ON c.slice = s.slice AND c.generation > ?1
WHERE s.generation > ?1
