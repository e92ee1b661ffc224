-- Newest first, so that reading ends at the changes that the caller knows.
SELECT change, version, kind, record FROM gatepost_route_change WHERE place = ?1 ORDER BY change DESC
