-- Waits for them, in order of the slots.
, had AS MATERIALIZED (
    SELECT slot FROM slots
    WHERE CASE WHEN alone THEN pg_advisory_xact_lock($1::int, slot) IS NOT NULL
          ELSE pg_advisory_xact_lock_shared($1::int, slot) IS NOT NULL END
)
SELECT set_config('gatepost.held', (SELECT coalesce(array_agg(slot), '{}') FROM had)::text, true), NULL::int AS missing
