INSERT INTO sqlite_sequence (name, seq)
SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
