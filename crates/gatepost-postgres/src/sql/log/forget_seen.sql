-- $1: limit. $2: older rows are deleted.
DELETE FROM :schema.gatepost_seen s USING (SELECT place, id FROM :schema.gatepost_seen WHERE stored < $2 ORDER BY stored LIMIT $1) old
WHERE s.place = old.place AND s.id = old.id
