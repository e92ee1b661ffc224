-- How often each key was used, by the day, in UTC.
CREATE TABLE :schema.gatepost_key_use (
    key     bigint NOT NULL REFERENCES :schema.gatepost_key (id) ON DELETE CASCADE,
    day     date NOT NULL,
    used    bigint NOT NULL,
    refused bigint NOT NULL,
    PRIMARY KEY (key, day)
) WITH (fillfactor = 70);
