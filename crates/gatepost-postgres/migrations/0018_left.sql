-- Over what is hidden a list leaps to the webhooks whose deliveries it may show: those of a tenant by the owners who are in it or were, those
-- of a task by its webhook and by those that it had. NULL where there were more than 16: what is shown is then looked for among all.
-- Of deliveries up to `left_from` this is not known.
ALTER TABLE :schema.gatepost_owner ADD COLUMN left_tenants bigint[] DEFAULT '{}';
ALTER TABLE :schema.gatepost_task ADD COLUMN left_webhooks bigint[] DEFAULT '{}';
ALTER TABLE :schema.gatepost_kept ADD COLUMN left_from bigint NOT NULL DEFAULT 0;
UPDATE :schema.gatepost_kept SET left_from = (SELECT last_value FROM :schema.gatepost_delivery_id_seq);
CREATE INDEX gatepost_owner_left ON :schema.gatepost_owner USING gin (left_tenants) WITH (fastupdate = off) WHERE left_tenants <> '{}';
CREATE INDEX gatepost_owner_left_many ON :schema.gatepost_owner (owner) WHERE left_tenants IS NULL;

-- By triggers, as processes of the version before go on for a moment.
CREATE FUNCTION :schema.gatepost_leave_tenant() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT OLD.left_tenants @> ARRAY[OLD.tenant] THEN
        NEW.left_tenants := CASE WHEN cardinality(OLD.left_tenants) < 16 THEN OLD.left_tenants || OLD.tenant END;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER gatepost_leave_tenant BEFORE UPDATE OF tenant ON :schema.gatepost_owner FOR EACH ROW
    WHEN (OLD.tenant IS NOT NULL AND OLD.tenant IS DISTINCT FROM NEW.tenant) EXECUTE FUNCTION :schema.gatepost_leave_tenant();
CREATE FUNCTION :schema.gatepost_leave_webhook() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT OLD.left_webhooks @> ARRAY[OLD.webhook] THEN
        NEW.left_webhooks := CASE WHEN cardinality(OLD.left_webhooks) < 16 THEN OLD.left_webhooks || OLD.webhook END;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER gatepost_leave_webhook BEFORE UPDATE OF webhook ON :schema.gatepost_task FOR EACH ROW
    WHEN (OLD.webhook <> NEW.webhook) EXECUTE FUNCTION :schema.gatepost_leave_webhook();
