-- Two claimers must not both find a webhook in order idle: the second sees what the first committed.
SELECT id FROM gatepost_webhook WHERE id = ANY ($1::bigint[]) AND in_order ORDER BY id FOR NO KEY UPDATE
