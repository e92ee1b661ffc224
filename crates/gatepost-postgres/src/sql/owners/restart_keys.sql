-- $1: the minimum number of generations to skip. $2: the minimum to continue from. All shards move,
-- and the log of earlier changes is deleted.
WITH g AS (
    UPDATE :schema.gatepost_key_generation SET generation = greatest(generation + $1::bigint, $2::bigint) + 1 RETURNING generation
), shards AS (
    UPDATE :schema.gatepost_key_shard SET generation = g.generation, forgotten = g.generation FROM g
), changes AS (
    DELETE FROM :schema.gatepost_key_change
)
SELECT generation FROM g
