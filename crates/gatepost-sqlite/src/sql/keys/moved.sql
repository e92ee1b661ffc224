-- ?1: a generation. The shards that have moved after it, and the keys that were changed in them.
SELECT s.shard, s.generation, c.generation AS changed, c.lookup
FROM gatepost_key_shard s LEFT JOIN gatepost_key_change c ON c.shard = s.shard AND c.generation > ?1
WHERE s.generation > ?1
