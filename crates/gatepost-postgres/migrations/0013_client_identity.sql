-- A client certificate with its private key, sealed as the other secrets of a webhook are; NULL where it has none, as webhooks of before
-- have. Added without a default: no row is written again.
ALTER TABLE :schema.gatepost_webhook ADD COLUMN client_identity bytea;
