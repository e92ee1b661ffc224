INSERT INTO :schema.gatepost_audit_owner AS o (owner, kept)
SELECT a.owner, a.added FROM unnest($1::uuid[], $2::bigint[]) AS a (owner, added) ORDER BY a.owner
ON CONFLICT (owner) DO UPDATE SET kept = o.kept + excluded.kept
