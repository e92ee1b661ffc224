-- The locks of webhooks in order, tried without waiting: the row numbers of their deliveries rise
-- in the order of commits. The next statement reads which were acquired. $1: number of the schema.
-- $2: webhooks.
SELECT set_config('gatepost.held', ARRAY(
    SELECT slot FROM (SELECT DISTINCT 64 + (id & 255)::int AS slot FROM :schema.gatepost_webhook WHERE id = ANY ($2::bigint[]) AND in_order) n
    WHERE pg_try_advisory_xact_lock($1::int, slot))::text, true)
