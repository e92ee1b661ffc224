-- Moves the generations of shards ($1) and records the changed keys ($2), unless the statement
-- before has changed nothing. Each key has a separate generation.
-- The lock of the one row of the generation lasts until the commit, so changes commit in the order
-- of their generations. The newest $3 of a shard are remembered.
WITH g AS (
    UPDATE :schema.gatepost_key_generation SET generation = generation + cardinality($1::smallint[])
    WHERE coalesce(current_setting('gatepost.verdict', true), '') IN ('', 'ok') RETURNING generation
), new AS MATERIALIZED (
    SELECT k.slice, k.lookup, g.generation - cardinality($1::smallint[]) + k.ord AS generation
    FROM g, unnest($1::smallint[], $2::text[]) WITH ORDINALITY AS k (slice, lookup, ord)
), moved AS MATERIALIZED (
    SELECT n.slice, max(n.generation) AS generation, (
        SELECT c.generation FROM :schema.gatepost_key_change c WHERE c.slice = n.slice
        ORDER BY c.generation DESC OFFSET $3::bigint - 1 LIMIT 1) AS old
    FROM new n GROUP BY n.slice
), forgotten AS (
    DELETE FROM :schema.gatepost_key_change c USING moved m WHERE c.slice = m.slice AND c.generation <= m.old
), slices AS (
    UPDATE :schema.gatepost_key_slice s SET generation = m.generation, forgotten = coalesce(m.old, s.forgotten)
    FROM moved m WHERE s.slice = m.slice
), noted AS (
    INSERT INTO :schema.gatepost_key_change (slice, generation, lookup) SELECT slice, generation, lookup FROM new
)
SELECT slice, generation FROM moved ORDER BY slice
