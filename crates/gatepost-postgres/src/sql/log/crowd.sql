-- $1: webhooks that there was no time for.
UPDATE :schema.gatepost_webhook SET crowded = true WHERE id = ANY ($1::bigint[]) AND NOT crowded
