-- Moves the generation and notes which key it was ($1). Its row lock lasts until the commit, so changes
-- commit in the order of their generations. Changes beyond the newest $2 are forgotten.
WITH g AS (
    UPDATE gatepost_key_generation SET generation = generation + 1 RETURNING generation
), forgotten AS (
    DELETE FROM gatepost_key_change c USING g WHERE c.generation = g.generation - $2
)
INSERT INTO gatepost_key_change (generation, lookup) SELECT generation, $1 FROM g RETURNING generation
