-- As try.sql with all its parts, but waits, in order of the slots, and takes alone the places of what is changed.
-- $1..$5: as there. $6: places to be alone in. $7..$10: owners, webhooks, tasks and events to be alone in the places of.
WITH shared AS MATERIALIZED (
    SELECT owner FROM :schema.gatepost_webhook WHERE id = ANY ($3::bigint[])
    UNION SELECT owner FROM :schema.gatepost_task WHERE id = ANY ($4::bigint[])
    UNION SELECT owner FROM :schema.gatepost_event WHERE id = ANY ($5::bigint[])
), alone AS MATERIALIZED (
    SELECT owner FROM unnest($7::bigint[]) AS owner
    UNION SELECT owner FROM :schema.gatepost_webhook WHERE id = ANY ($8::bigint[])
    UNION SELECT owner FROM :schema.gatepost_task WHERE id = ANY ($9::bigint[])
    UNION SELECT owner FROM :schema.gatepost_event WHERE id = ANY ($10::bigint[])
), needed AS MATERIALIZED (
    SELECT :slot(p) AS slot, false AS alone FROM unnest($2::text[]) AS p
    UNION ALL SELECT :slot(o.place), false FROM shared JOIN :schema.gatepost_owner o USING (owner)
    UNION ALL SELECT :slot(p), true FROM unnest($6::text[]) AS p
    UNION ALL SELECT :slot(coalesce(o.place, 'common')), true FROM alone a LEFT JOIN :schema.gatepost_owner o USING (owner)
    UNION ALL SELECT 64 + (id & 255)::int, true FROM :schema.gatepost_webhook WHERE id = ANY ($3::bigint[]) AND in_order
), slots AS MATERIALIZED (
    SELECT slot, bool_or(alone) AS alone FROM needed GROUP BY slot ORDER BY slot
), had AS MATERIALIZED (
    SELECT slot FROM slots
    WHERE CASE WHEN alone THEN pg_advisory_xact_lock($1::int, slot) IS NOT NULL
          ELSE pg_advisory_xact_lock_shared($1::int, slot) IS NOT NULL END
)
SELECT set_config('gatepost.held', (SELECT coalesce(array_agg(slot), '{}') FROM had)::text, true)
