WITH old AS (
    SELECT a.id FROM :schema.gatepost_audit a WHERE a.at < $1 ORDER BY a.at, a.id LIMIT $2
), gone AS (
    DELETE FROM :schema.gatepost_audit a USING old WHERE a.id = old.id RETURNING a.owner
), fewer AS (
    UPDATE :schema.gatepost_audit_owner o SET kept = o.kept - g.count
    FROM (SELECT owner, count(*) AS count FROM gone GROUP BY owner) g WHERE o.owner = g.owner
)
SELECT count(*) FROM gone
