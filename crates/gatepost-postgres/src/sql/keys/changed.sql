-- Moves the generation of a slice ($1) and notes which key it was ($2), if the statement before changed one. The lock of the
-- one row of the generation lasts until the commit, so changes commit in the order of their generations. Of a slice
-- the newest $3 are remembered.
WITH g AS (
    UPDATE :schema.gatepost_key_generation SET generation = generation + 1
    WHERE current_setting('gatepost.verdict') = 'ok' RETURNING generation
), old AS MATERIALIZED (
    SELECT generation FROM :schema.gatepost_key_change WHERE slice = $1 ORDER BY generation DESC OFFSET $3::bigint - 1 LIMIT 1
), forgotten AS (
    DELETE FROM :schema.gatepost_key_change c USING g WHERE c.slice = $1 AND c.generation <= (SELECT generation FROM old)
), slice AS (
    UPDATE :schema.gatepost_key_slice s SET generation = g.generation,
        forgotten = coalesce((SELECT generation FROM old), s.forgotten)
    FROM g WHERE s.slice = $1
)
INSERT INTO :schema.gatepost_key_change (slice, generation, lookup) SELECT $1, generation, $2 FROM g RETURNING generation
