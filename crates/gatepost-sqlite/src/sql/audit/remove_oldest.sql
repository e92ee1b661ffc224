DELETE FROM gatepost_audit WHERE id IN (
    SELECT id FROM gatepost_audit INDEXED BY gatepost_audit_of_owner WHERE owner = ?1 ORDER BY id LIMIT ?2)
