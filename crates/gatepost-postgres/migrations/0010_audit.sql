-- Who changed what. It refers to no record: entries outlive what they name.
CREATE TABLE :schema.gatepost_audit (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at           timestamptz NOT NULL,
    owner        bigint NOT NULL,
    tenant       bigint,
    actor        bigint NOT NULL,
    key          bigint,
    address      text,
    record_table text COLLATE "C" NOT NULL,
    record       bigint NOT NULL,
    name         text NOT NULL,
    operation    text NOT NULL,
    changes      text NOT NULL
);
CREATE INDEX gatepost_audit_of_owner ON :schema.gatepost_audit (owner, id);
CREATE INDEX gatepost_audit_of_tenant ON :schema.gatepost_audit (tenant, id) WHERE tenant IS NOT NULL;
CREATE INDEX gatepost_audit_of_record ON :schema.gatepost_audit (record, record_table, id);
CREATE INDEX gatepost_audit_of_actor ON :schema.gatepost_audit (actor, id);
CREATE INDEX gatepost_audit_at ON :schema.gatepost_audit (at, id);

-- How many entries there are about each owner's records. Its row lock puts those who add into one order.
CREATE TABLE :schema.gatepost_audit_owner (
    owner bigint PRIMARY KEY,
    kept  bigint NOT NULL
) WITH (fillfactor = 70);
