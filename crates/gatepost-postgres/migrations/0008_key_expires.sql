-- Which keys expire soon is looked up.
CREATE INDEX gatepost_key_expires ON :schema.gatepost_key (expires, id) WHERE expires IS NOT NULL;
