-- What an occurrence brings along: a JSON object of at most 64 KiB; NULL where it brings nothing, and for what was written before.
ALTER TABLE gatepost_occurrence ADD COLUMN data TEXT;
