-- Newest first, so that reading ends where the caller knows the rest.
SELECT change, version, kind, record FROM gatepost_route_change WHERE place = ?1 ORDER BY change DESC
