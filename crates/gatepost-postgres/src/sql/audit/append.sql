WITH over AS (
    SELECT o.owner, o.kept - $1::bigint AS excess FROM :schema.gatepost_audit_owner o
    WHERE o.owner = ANY ($2::uuid[]) AND o.kept > $1
), oldest AS (
    SELECT a.id FROM over o CROSS JOIN LATERAL (
        SELECT e.id FROM :schema.gatepost_audit e WHERE e.owner = o.owner ORDER BY e.id LIMIT o.excess) a
), gone AS (
    DELETE FROM :schema.gatepost_audit a USING oldest d WHERE a.id = d.id
), capped AS (
    UPDATE :schema.gatepost_audit_owner o SET kept = $1 FROM over v WHERE o.owner = v.owner
)
INSERT INTO :schema.gatepost_audit
    (at, owner, tenant, actor, key, address, record_table, record, name, operation, changes)
SELECT n.at, n.owner, n.tenant, n.actor, n.key, n.address, n.record_table, n.record, n.name, n.operation, n.changes
FROM unnest($3::timestamptz[], $4::uuid[], $5::uuid[], $6::uuid[], $7::bigint[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[]) WITH ORDINALITY
    AS n (at, owner, tenant, actor, key, address, record_table, record, name, operation, changes, place)
ORDER BY n.place
