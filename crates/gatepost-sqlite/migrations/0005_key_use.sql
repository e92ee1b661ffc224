-- How often each key was used, by the day: `day` counts from 1970, in UTC.
CREATE TABLE gatepost_key_use (
    key     INTEGER NOT NULL REFERENCES gatepost_key (id) ON DELETE CASCADE,
    day     INTEGER NOT NULL,
    used    INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    PRIMARY KEY (key, day)
) STRICT, WITHOUT ROWID;
