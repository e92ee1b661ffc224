-- $1: webhooks. Two claimers must not both find a webhook in order idle: the second sees what the first committed. One that
-- somebody else holds, another claimer or an edit, is passed over, not waited for.
SELECT set_config('gatepost.idle', ARRAY(
    SELECT id FROM gatepost_webhook WHERE id = ANY ($1::bigint[]) AND in_order ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)::text, true)
