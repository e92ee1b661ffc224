-- $1: how many generations are passed over at least. $2: the least to go on from. All slices move, and what was changed before is forgotten.
WITH g AS (
    UPDATE :schema.gatepost_key_generation SET generation = greatest(generation + $1::bigint, $2::bigint) + 1 RETURNING generation
), slices AS (
    UPDATE :schema.gatepost_key_slice SET generation = g.generation, forgotten = g.generation FROM g
), changes AS (
    DELETE FROM :schema.gatepost_key_change
)
SELECT generation FROM g
