-- The locks of a change, and of enqueues that use up a task, or of webhooks in order. The shared
-- realms come last, so that none of them is held while another lock is waited for.
-- $1: number of the schema. $2: webhooks, of which those in order. $3: realms. $4..$7: owners,
-- webhooks, tasks and events, for the realms of their owners.
WITH alone AS MATERIALIZED (
    SELECT owner FROM unnest($4::uuid[]) AS owner
    UNION SELECT owner FROM :schema.gatepost_webhook WHERE id = ANY ($5::bigint[])
    UNION SELECT owner FROM :schema.gatepost_task WHERE id = ANY ($6::bigint[])
    UNION SELECT owner FROM :schema.gatepost_event WHERE id = ANY ($7::bigint[])
), slots AS MATERIALIZED (
    SELECT :schema.gatepost_slot(p) AS slot FROM unnest($3::text[]) AS p
    UNION SELECT :schema.gatepost_slot(coalesce(o.place, 'common')) FROM alone a LEFT JOIN :schema.gatepost_owner o USING (owner)
    UNION SELECT 64 + (id & 255)::int FROM :schema.gatepost_webhook WHERE id = ANY ($2::bigint[]) AND in_order
    ORDER BY slot
)
