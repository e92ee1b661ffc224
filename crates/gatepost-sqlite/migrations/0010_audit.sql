-- Who changed what. It refers to no record: entries outlive what they name.
CREATE TABLE gatepost_audit (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    at           INTEGER NOT NULL,
    owner        INTEGER NOT NULL,
    tenant       INTEGER,
    actor        INTEGER NOT NULL,
    key          INTEGER,
    address      TEXT,
    record_table TEXT NOT NULL,
    record       INTEGER NOT NULL,
    name         TEXT NOT NULL,
    operation    TEXT NOT NULL,
    changes      TEXT NOT NULL
) STRICT;
CREATE INDEX gatepost_audit_of_owner ON gatepost_audit (owner);
CREATE INDEX gatepost_audit_of_tenant ON gatepost_audit (tenant) WHERE tenant IS NOT NULL;
CREATE INDEX gatepost_audit_of_record ON gatepost_audit (record, record_table);
CREATE INDEX gatepost_audit_of_actor ON gatepost_audit (actor);
CREATE INDEX gatepost_audit_at ON gatepost_audit (at);

-- How many entries there are about each owner's records.
CREATE TABLE gatepost_audit_owner (
    owner INTEGER PRIMARY KEY,
    kept  INTEGER NOT NULL
) STRICT;
