-- Before the steps: they find only what is not copied, because it changed, waits, came after the last bite, or is the last of
-- all.
CREATE TEMPORARY TABLE gatepost_rest ON COMMIT DROP AS
SELECT id FROM :schema.gatepost_changed
UNION SELECT id FROM :schema.gatepost_delivery WHERE state = 'queued'
UNION SELECT id FROM :schema.gatepost_delivery WHERE state = 'running'
UNION SELECT id FROM :schema.gatepost_delivery WHERE id > (SELECT coalesce(max(id), 0) FROM :schema.gatepost_delivery_ahead)
UNION SELECT max(id) FROM :schema.gatepost_delivery;
ANALYZE gatepost_rest;
DROP TRIGGER gatepost_delivery_changes ON :schema.gatepost_delivery;
DROP TRIGGER gatepost_attempt_changes ON :schema.gatepost_attempt;
DROP TRIGGER gatepost_webhook_changes ON :schema.gatepost_webhook;
DROP FUNCTION :schema.gatepost_delivery_changes(), :schema.gatepost_attempt_changes(), :schema.gatepost_webhook_changes();
DROP TABLE :schema.gatepost_changed;

DELETE FROM :schema.gatepost_delivery_ahead a USING gatepost_rest r WHERE a.id = r.id;
DELETE FROM :schema.gatepost_outcome_ahead a USING gatepost_rest r WHERE a.delivery = r.id;
CREATE TEMPORARY TABLE gatepost_rest_delivery ON COMMIT DROP AS
SELECT d.* FROM :schema.gatepost_delivery d JOIN gatepost_rest r ON r.id = d.id;
CREATE TEMPORARY TABLE gatepost_rest_attempt ON COMMIT DROP AS
SELECT a.* FROM :schema.gatepost_attempt a JOIN gatepost_rest r ON r.id = a.delivery;
TRUNCATE :schema.gatepost_delivery, :schema.gatepost_attempt;
INSERT INTO :schema.gatepost_delivery SELECT * FROM gatepost_rest_delivery ORDER BY id;
INSERT INTO :schema.gatepost_attempt SELECT * FROM gatepost_rest_attempt ORDER BY delivery, number;
