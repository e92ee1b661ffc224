-- The locks of a shared batch, tried and never waited for: the places in it shared, webhooks in order alone, so that
-- the row numbers of their deliveries rise in the order of commits. What was had is said to the next statement, whose
-- view begins after it: of a place that is had there, nothing changes until the commit.
-- $1: number of the schema. $2: places. $3, $4, $5: webhooks, tasks and events whose owners' places are needed too; a
-- webhook that is in none of these places or in order, and is not named, is found out by the next statement.
WITH needed AS MATERIALIZED (
    SELECT hashtext(p) & 63 AS slot FROM unnest($2::text[]) AS p
    UNION SELECT hashtext(o.place) & 63 FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o USING (owner) WHERE w.id = ANY ($3::bigint[])
    UNION SELECT 64 + (w.id & 255)::int FROM :schema.gatepost_webhook w WHERE w.id = ANY ($3::bigint[]) AND w.in_order
    UNION SELECT hashtext(o.place) & 63 FROM :schema.gatepost_task t JOIN :schema.gatepost_owner o USING (owner) WHERE t.id = ANY ($4::bigint[])
    UNION SELECT hashtext(o.place) & 63 FROM :schema.gatepost_event e JOIN :schema.gatepost_owner o USING (owner) WHERE e.id = ANY ($5::bigint[])
)
SELECT set_config('gatepost.held', ARRAY(
    SELECT slot FROM needed
    WHERE CASE WHEN slot < 64 THEN pg_try_advisory_xact_lock_shared($1::int, slot)
          ELSE pg_try_advisory_xact_lock($1::int, slot) END)::text, true)
