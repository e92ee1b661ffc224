-- $1: an owner who will have records.
INSERT INTO :schema.gatepost_owner (owner) VALUES ($1) ON CONFLICT DO NOTHING
