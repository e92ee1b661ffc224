-- A client certificate with its private key, sealed as the other secrets of a webhook are; NULL where it has none, as webhooks of before
-- have. No row is written again.
ALTER TABLE gatepost_webhook ADD COLUMN client_identity BLOB;
