-- What an occurrence brings along: a JSON object of at most 64 KiB, kept as the text that it is; NULL where it brings nothing,
-- and for what was written before. Added without a default: no row is written again.
ALTER TABLE :schema.gatepost_occurrence ADD COLUMN data json;
