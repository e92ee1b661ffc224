-- How many requests a minute a key may make, where it has a limit of its own; and of a key that was rolled, which key took its
-- place and which one it took the place of. Keys of before have none of them. No row is written again.
ALTER TABLE :schema.gatepost_key
    ADD COLUMN requests_per_minute bigint,
    ADD COLUMN rolled_from bigint,
    ADD COLUMN rolled_to bigint;
