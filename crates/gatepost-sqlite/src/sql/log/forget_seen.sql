DELETE FROM gatepost_seen WHERE (place, id) IN (
    SELECT place, id FROM gatepost_seen INDEXED BY gatepost_seen_stored WHERE stored < ?1 ORDER BY stored LIMIT ?2)
