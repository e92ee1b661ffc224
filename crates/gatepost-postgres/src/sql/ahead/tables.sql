-- The log of a version before the third, as it will be: filled in bites, while processes of that version go on with it.
-- What they change meanwhile is noted.
CREATE TABLE :schema.gatepost_delivery_ahead (
    id         bigint NOT NULL PRIMARY KEY,
    webhook    bigint NOT NULL,
    owner      bigint NOT NULL,
    tenant     bigint,
    task       bigint,
    created    timestamptz NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    body       bytea
);
CREATE INDEX ON :schema.gatepost_delivery_ahead (webhook, id) WHERE webhook IS NOT NULL;
CREATE INDEX ON :schema.gatepost_delivery_ahead (owner, id) WHERE owner IS NOT NULL;
CREATE INDEX ON :schema.gatepost_delivery_ahead (tenant, id) WHERE tenant IS NOT NULL;
CREATE INDEX ON :schema.gatepost_delivery_ahead (task, id) WHERE task IS NOT NULL;

CREATE TABLE :schema.gatepost_outcome_ahead (
    delivery      bigint NOT NULL,
    token         bigint NOT NULL,
    webhook       bigint,
    owner         bigint,
    tenant        bigint,
    task          bigint,
    attempts      integer NOT NULL,
    tries         integer NOT NULL,
    state         smallint NOT NULL,
    lost          smallint NOT NULL,
    status        integer,
    started       timestamptz,
    duration_us   bigint,
    dns_us        bigint,
    connect_us    bigint,
    tls_us        bigint,
    first_byte_us bigint,
    truncated     boolean,
    kept          boolean,
    class         text NOT NULL,
    status_info   text NOT NULL,
    info          text,
    remote        text,
    protocol      text,
    response_head bytea,
    response_body bytea,
    PRIMARY KEY (delivery, token)
);
CREATE INDEX ON :schema.gatepost_outcome_ahead (delivery) WHERE state = 3;
CREATE INDEX ON :schema.gatepost_outcome_ahead (webhook, delivery) WHERE state = 3;
CREATE INDEX ON :schema.gatepost_outcome_ahead (owner, delivery) WHERE state = 3;
CREATE INDEX ON :schema.gatepost_outcome_ahead (tenant, delivery) WHERE state = 3 AND tenant IS NOT NULL;
CREATE INDEX ON :schema.gatepost_outcome_ahead (task, delivery) WHERE state = 3 AND task IS NOT NULL;
CREATE INDEX ON :schema.gatepost_outcome_ahead (delivery) WHERE state = 2 AND class <> 'ok';

-- Once for each change: nobody waits for another's. With the rights of whoever made this table: those who change a row may
-- have fewer.
CREATE TABLE :schema.gatepost_changed (id bigint NOT NULL);
CREATE FUNCTION :schema.gatepost_delivery_changes() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO :schema.gatepost_changed VALUES (coalesce(NEW.id, OLD.id));
    RETURN NULL;
END $$;
CREATE TRIGGER gatepost_delivery_changes AFTER INSERT OR UPDATE OR DELETE ON :schema.gatepost_delivery
    FOR EACH ROW EXECUTE FUNCTION :schema.gatepost_delivery_changes();
CREATE FUNCTION :schema.gatepost_attempt_changes() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO :schema.gatepost_changed VALUES (coalesce(NEW.delivery, OLD.delivery));
    RETURN NULL;
END $$;
CREATE TRIGGER gatepost_attempt_changes AFTER INSERT OR UPDATE OR DELETE ON :schema.gatepost_attempt
    FOR EACH ROW EXECUTE FUNCTION :schema.gatepost_attempt_changes();
-- In the first version a delivery's owner is its webhook's.
CREATE FUNCTION :schema.gatepost_webhook_changes() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO :schema.gatepost_changed SELECT id FROM :schema.gatepost_delivery WHERE webhook = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER gatepost_webhook_changes AFTER UPDATE ON :schema.gatepost_webhook
    FOR EACH ROW WHEN (NEW.owner <> OLD.owner) EXECUTE FUNCTION :schema.gatepost_webhook_changes();
