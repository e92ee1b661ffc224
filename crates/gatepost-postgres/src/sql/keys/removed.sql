-- As changed.sql, for many keys at once: $1 slices, $2 lookup ids. Each has a generation of its own.
WITH g AS (
    UPDATE :schema.gatepost_key_generation SET generation = generation + cardinality($1::smallint[]) RETURNING generation
), new AS MATERIALIZED (
    SELECT k.slice, k.lookup, g.generation - cardinality($1::smallint[]) + k.ord AS generation
    FROM g, unnest($1::smallint[], $2::text[]) WITH ORDINALITY AS k (slice, lookup, ord)
), slices AS (
    UPDATE :schema.gatepost_key_slice s SET generation = n.generation
    FROM (SELECT slice, max(generation) AS generation FROM new GROUP BY slice) n WHERE s.slice = n.slice
), noted AS (
    INSERT INTO :schema.gatepost_key_change (slice, generation, lookup) SELECT slice, generation, lookup FROM new
)
SELECT slice, max(generation) AS generation FROM new GROUP BY slice ORDER BY slice
