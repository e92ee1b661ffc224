-- Moves the generations of shards ($1) and records the changed keys ($2), unless the statement
-- before has changed nothing. Each key has a separate generation.
-- The lock of the one row of the generation lasts until the commit, so changes commit in the order
-- of their generations. The newest $3 of a shard are remembered.
WITH g AS (
    UPDATE :schema.gatepost_key_generation SET generation = generation + cardinality($1::smallint[])
    WHERE coalesce(current_setting('gatepost.verdict', true), '') IN ('', 'ok') RETURNING generation
), new AS MATERIALIZED (
    SELECT k.shard, k.lookup, g.generation - cardinality($1::smallint[]) + k.ord AS generation
    FROM g, unnest($1::smallint[], $2::text[]) WITH ORDINALITY AS k (shard, lookup, ord)
), moved AS MATERIALIZED (
    SELECT n.shard, max(n.generation) AS generation, (
        SELECT c.generation FROM :schema.gatepost_key_change c WHERE c.shard = n.shard
        ORDER BY c.generation DESC OFFSET $3::bigint - 1 LIMIT 1) AS old
    FROM new n GROUP BY n.shard
), forgotten AS (
    DELETE FROM :schema.gatepost_key_change c USING moved m WHERE c.shard = m.shard AND c.generation <= m.old
), shards AS (
    UPDATE :schema.gatepost_key_shard s SET generation = m.generation, forgotten = coalesce(m.old, s.forgotten)
    FROM moved m WHERE s.shard = m.shard
), noted AS (
    INSERT INTO :schema.gatepost_key_change (shard, generation, lookup) SELECT shard, generation, lookup FROM new
)
SELECT shard, generation FROM moved ORDER BY shard
