-- What made a delivery, as `Cause` writes it; NULL for a message sent by hand, and for what was stored before. And the head
-- of each attempt's request, without credentials; NULL where none was kept. Both are added without a default: no row is
-- written again.
ALTER TABLE :schema.gatepost_delivery ADD COLUMN cause text;
ALTER TABLE :schema.gatepost_delivery_old ADD COLUMN cause text;
ALTER TABLE :schema.gatepost_outcome ADD COLUMN request_head bytea;
ALTER TABLE :schema.gatepost_outcome_old ADD COLUMN request_head bytea;
CREATE OR REPLACE VIEW :schema.gatepost_delivery_all AS SELECT * FROM :schema.gatepost_delivery UNION ALL SELECT * FROM :schema.gatepost_delivery_old;
CREATE OR REPLACE VIEW :schema.gatepost_outcome_all AS SELECT * FROM :schema.gatepost_outcome UNION ALL SELECT * FROM :schema.gatepost_outcome_old;
