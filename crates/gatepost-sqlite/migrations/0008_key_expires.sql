-- Which keys expire soon is looked up.
CREATE INDEX gatepost_key_expires ON gatepost_key (expires, id) WHERE expires IS NOT NULL;
