-- $1: an owner who is about to have something.
INSERT INTO :schema.gatepost_owner (owner) VALUES ($1) ON CONFLICT DO NOTHING
