-- $1: stored before. $2: limit.
DELETE FROM gatepost_seen s USING (SELECT place, id FROM gatepost_seen WHERE stored < $1 ORDER BY stored LIMIT $2) old
WHERE s.place = old.place AND s.id = old.id
