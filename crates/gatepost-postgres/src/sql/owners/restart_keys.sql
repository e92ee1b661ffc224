-- $1: generations that are passed over. All slices move, and what was changed before is forgotten.
WITH g AS (
    UPDATE :schema.gatepost_key_generation SET generation = generation + 1 + $1::bigint RETURNING generation
), slices AS (
    UPDATE :schema.gatepost_key_slice SET generation = g.generation, forgotten = g.generation FROM g
), changes AS (
    DELETE FROM :schema.gatepost_key_change
)
SELECT generation FROM g
