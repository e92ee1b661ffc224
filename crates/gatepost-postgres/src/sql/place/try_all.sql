-- Waits for none of them: if one is not available none is reported as held, and `missing` is one
-- that another transaction has.
, tried AS MATERIALIZED (
    SELECT slot, pg_try_advisory_xact_lock($1::int, slot) AS had
    FROM slots
), missing AS MATERIALIZED (
    SELECT min(slot) AS slot FROM tried WHERE NOT had
)
SELECT set_config('gatepost.held', (SELECT coalesce(array_agg(t.slot), '{}') FROM tried t
           WHERE (SELECT slot FROM missing) IS NULL)::text, true), (SELECT slot FROM missing) AS missing
