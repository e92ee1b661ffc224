INSERT INTO gatepost_audit_owner (owner, kept) VALUES (?1, ?2)
ON CONFLICT (owner) DO UPDATE SET kept = kept + excluded.kept
RETURNING kept
