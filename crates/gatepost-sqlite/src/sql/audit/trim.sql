DELETE FROM gatepost_audit WHERE id IN (
    SELECT id FROM gatepost_audit INDEXED BY gatepost_audit_at WHERE at < ?1 ORDER BY at, id LIMIT ?2)
RETURNING owner
