-- Each realm has a separate version, from those that were drawn last.
UPDATE gatepost_place SET version = n.version, started = n.version, changes = 0
FROM (SELECT p.place, r.version + 1 - row_number() OVER (ORDER BY p.place) AS version
      FROM gatepost_place p, gatepost_routes r) n
WHERE n.place = gatepost_place.place
