-- $1: slice. $2: a generation. The present generation of all, whether what follows $2 is known, and the keys changed since.
SELECT g.generation, $2 BETWEEN s.forgotten AND g.generation AS known, c.lookup
FROM :schema.gatepost_key_generation g JOIN :schema.gatepost_key_slice s ON s.slice = $1
LEFT JOIN :schema.gatepost_key_change c ON c.slice = $1 AND c.generation > $2 AND $2 BETWEEN s.forgotten AND g.generation
