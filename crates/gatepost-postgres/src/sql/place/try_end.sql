)
SELECT set_config('gatepost.held', ARRAY(
    SELECT slot FROM needed
    WHERE CASE WHEN slot BETWEEN 64 AND 319 THEN pg_try_advisory_xact_lock($1::int, slot)
          ELSE pg_try_advisory_xact_lock_shared($1::int, slot) END)::text, true)
