-- The trace that an occurrence belongs to: a `traceparent`, and after a blank a `tracestate`; NULL where it belongs to none, and
-- for what was written before. With a delivery it is a part of its cause.
ALTER TABLE gatepost_occurrence ADD COLUMN trace TEXT;
