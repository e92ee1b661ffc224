-- What its user calls an event; empty for events of before, and where the platform's own label will do. A constant default: no row is
-- written again.
ALTER TABLE gatepost_event ADD COLUMN label TEXT NOT NULL DEFAULT '';
