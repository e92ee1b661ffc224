-- The locks of a shared batch, tried and never waited for: the places in it shared, webhooks in order alone, so that
-- the row numbers of their deliveries rise in the order of commits. What was had is said to the next statement, whose
-- view begins after it: of a place that is had there, nothing changes until the commit.
-- $1: number of the schema. $2: places. $3, $4, $5: webhooks, tasks and events whose owners' places are needed too.
WITH owners AS MATERIALIZED (
    SELECT owner FROM gatepost_webhook WHERE id = ANY ($3::bigint[])
    UNION SELECT owner FROM gatepost_task WHERE id = ANY ($4::bigint[])
    UNION SELECT owner FROM gatepost_event WHERE id = ANY ($5::bigint[])
), slots AS MATERIALIZED (
    SELECT hashtext(p) & 63 AS slot FROM unnest($2::text[]) AS p
    UNION SELECT hashtext(o.place) & 63 FROM owners JOIN gatepost_owner o USING (owner)
), ordered AS MATERIALIZED (
    SELECT DISTINCT 64 + (id & 255)::int AS slot FROM gatepost_webhook WHERE id = ANY ($3::bigint[]) AND in_order
), had AS MATERIALIZED (
    SELECT slot FROM slots WHERE pg_try_advisory_xact_lock_shared($1::int, slot)
    UNION ALL SELECT slot FROM ordered WHERE pg_try_advisory_xact_lock($1::int, slot)
)
SELECT set_config('gatepost.held', (SELECT coalesce(array_agg(slot), '{}') FROM had)::text, true)
