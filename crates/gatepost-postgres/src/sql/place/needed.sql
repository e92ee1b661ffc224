-- The locks of what wants all or none: as try.sql with all its parts, and alone the places of what is changed. The
-- places that all share come last, so that none of them is held while another is waited for.
-- $1..$5: as there. $6: places to be alone in. $7..$10: owners, webhooks, tasks and events to be alone in the places of.
WITH shared AS MATERIALIZED (
    SELECT owner FROM :schema.gatepost_webhook WHERE id = ANY ($3::bigint[])
    UNION SELECT owner FROM :schema.gatepost_task WHERE id = ANY ($4::bigint[])
    UNION SELECT owner FROM :schema.gatepost_event WHERE id = ANY ($5::bigint[])
), alone AS MATERIALIZED (
    SELECT owner FROM unnest($7::uuid[]) AS owner
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
)
