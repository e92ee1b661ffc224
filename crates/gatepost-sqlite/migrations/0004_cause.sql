-- What made a delivery, as `Cause` writes it; NULL for a message sent by hand, and for what was stored before.
ALTER TABLE gatepost_delivery ADD COLUMN cause TEXT;
-- The head of the request, without credentials; NULL where none was kept.
ALTER TABLE gatepost_outcome ADD COLUMN request_head BLOB;
