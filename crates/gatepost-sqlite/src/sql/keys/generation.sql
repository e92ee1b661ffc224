SELECT s.forgotten, g.generation FROM gatepost_key_shard s, gatepost_key_generation g WHERE s.shard = ?1
