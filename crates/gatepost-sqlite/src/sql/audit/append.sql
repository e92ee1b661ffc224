INSERT INTO gatepost_audit (at, owner, tenant, actor, key, address, record_table, record, name, operation, changes)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
