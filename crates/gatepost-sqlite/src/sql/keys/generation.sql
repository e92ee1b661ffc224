SELECT s.forgotten, g.generation FROM gatepost_key_slice s, gatepost_key_generation g WHERE s.slice = ?1
