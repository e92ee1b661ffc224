-- Waits for the locks, in order of the slots.
, had AS MATERIALIZED (
    SELECT slot FROM slots
    WHERE pg_advisory_xact_lock($1::int, slot) IS NOT NULL
)
SELECT set_config('gatepost.held', (SELECT coalesce(array_agg(slot), '{}') FROM had)::text, true), NULL::int AS missing
