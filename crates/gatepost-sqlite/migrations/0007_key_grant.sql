-- Whether a key is accepted, and what it may do of what its user may: only reading, only the tables and scopes that are named,
-- joined by commas; '' names none. Keys of before are accepted and may do everything. No row is written again.
ALTER TABLE gatepost_key ADD COLUMN enabled INTEGER NOT NULL DEFAULT 1;
ALTER TABLE gatepost_key ADD COLUMN read_only INTEGER NOT NULL DEFAULT 0;
ALTER TABLE gatepost_key ADD COLUMN tables TEXT NOT NULL DEFAULT '';
ALTER TABLE gatepost_key ADD COLUMN scopes TEXT NOT NULL DEFAULT '';
