WITH oldest AS (
    SELECT a.id FROM :schema.gatepost_audit a WHERE a.owner = $1 ORDER BY a.id LIMIT $2
), gone AS (
    DELETE FROM :schema.gatepost_audit a USING oldest WHERE a.id = oldest.id RETURNING a.owner
), fewer AS (
    UPDATE :schema.gatepost_audit_owner o SET kept = o.kept - (SELECT count(*) FROM gone) WHERE o.owner = $1
)
SELECT count(*) FROM gone
