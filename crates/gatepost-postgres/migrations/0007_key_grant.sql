-- Whether a key is accepted, and what it may do of what its user may: only reading, only the tables and scopes that are named,
-- joined by commas; '' names none. Keys of before are accepted and may do everything. No row is written again.
ALTER TABLE :schema.gatepost_key
    ADD COLUMN enabled boolean NOT NULL DEFAULT true,
    ADD COLUMN read_only boolean NOT NULL DEFAULT false,
    ADD COLUMN tables text NOT NULL DEFAULT '',
    ADD COLUMN scopes text NOT NULL DEFAULT '';
