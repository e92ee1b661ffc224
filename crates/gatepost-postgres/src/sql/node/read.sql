-- $1: a generation. The present one, the version of the schema, the shards that have moved after
-- $1, and the keys that were changed in them, in order, if these are not more than $2.
SELECT g.generation, (SELECT max(version) FROM :schema.gatepost_migration) AS version, s.shard, s.generation AS of_shard, c.generation AS changed, c.lookup
FROM :schema.gatepost_key_generation g LEFT JOIN :schema.gatepost_key_shard s ON s.generation > $1
LEFT JOIN LATERAL (
    SELECT c.generation, c.lookup FROM :schema.gatepost_key_change c
    WHERE c.shard = s.shard AND c.generation > $1 AND g.generation - $1 <= $2 ORDER BY c.generation LIMIT $2
) c ON true
ORDER BY c.generation
