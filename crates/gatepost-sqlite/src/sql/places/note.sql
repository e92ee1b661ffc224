INSERT INTO gatepost_route_change (place, change, version, kind, record) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO NOTHING
