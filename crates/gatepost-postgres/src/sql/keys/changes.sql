-- One row for each change after $1, and the present generation in each; one row without change if there is none.
SELECT g.generation, c.lookup
FROM gatepost_key_generation g LEFT JOIN gatepost_key_change c ON c.generation > $1
