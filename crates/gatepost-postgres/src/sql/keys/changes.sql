-- $1: shard. $2: a generation. Returns the present generation of all, whether the changes after $2
-- are known, and the keys that they changed.
SELECT g.generation, $2 BETWEEN s.forgotten AND g.generation AS known, c.lookup
FROM :schema.gatepost_key_generation g JOIN :schema.gatepost_key_shard s ON s.shard = $1
LEFT JOIN :schema.gatepost_key_change c ON c.shard = $1 AND c.generation > $2 AND $2 BETWEEN s.forgotten AND g.generation
