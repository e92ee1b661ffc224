-- After the third step: what it made of the rest goes to the copy, which takes the place of its partition. There is none if
-- nothing was left of the log.
DO $$
DECLARE
    upto bigint := (SELECT beyond FROM :schema.gatepost_part WHERE first = 0);
BEGIN
    IF upto IS NULL THEN
        DROP TABLE :schema.gatepost_delivery_ahead, :schema.gatepost_outcome_ahead;
        RETURN;
    END IF;
    ALTER TABLE :schema.gatepost_delivery DETACH PARTITION :schema.gatepost_delivery_0;
    ALTER TABLE :schema.gatepost_outcome DETACH PARTITION :schema.gatepost_outcome_0;
    INSERT INTO :schema.gatepost_delivery_ahead (id, webhook, owner, tenant, task, created, message_id, body)
    SELECT id, webhook, owner, tenant, task, created, message_id, body FROM :schema.gatepost_delivery_0 ORDER BY id;
    INSERT INTO :schema.gatepost_outcome_ahead SELECT * FROM :schema.gatepost_outcome_0 ORDER BY delivery, token;
    DROP TABLE :schema.gatepost_delivery_0, :schema.gatepost_outcome_0;
    ALTER TABLE :schema.gatepost_delivery_ahead RENAME TO gatepost_delivery_0;
    ALTER TABLE :schema.gatepost_outcome_ahead RENAME TO gatepost_outcome_0;
    EXECUTE format('ALTER TABLE :schema.gatepost_delivery ATTACH PARTITION :schema.gatepost_delivery_0 FOR VALUES FROM (0) TO (%s)', upto);
    EXECUTE format('ALTER TABLE :schema.gatepost_outcome ATTACH PARTITION :schema.gatepost_outcome_0 FOR VALUES FROM (0) TO (%s)', upto);
END $$;
