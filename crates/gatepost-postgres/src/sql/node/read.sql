-- $1: a generation. The present one, and the slices that were moved since.
SELECT g.generation, s.slice, s.generation AS of_slice
FROM :schema.gatepost_key_generation g LEFT JOIN :schema.gatepost_key_slice s ON s.generation > $1
