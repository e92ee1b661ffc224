-- $1: revisions that are passed over, of every row that has one.
WITH keys AS (UPDATE :schema.gatepost_key SET revision = revision + $1::bigint),
    webhooks AS (UPDATE :schema.gatepost_webhook SET revision = revision + $1),
    tasks AS (UPDATE :schema.gatepost_task SET revision = revision + $1)
UPDATE :schema.gatepost_event SET revision = revision + $1
