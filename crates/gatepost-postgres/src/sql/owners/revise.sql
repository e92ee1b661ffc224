-- $1: the minimum number of revisions to skip, in every row that has one. $2: the minimum to
-- continue from.
WITH keys AS (UPDATE :schema.gatepost_key SET revision = greatest(revision + $1::bigint, $2::bigint)),
    webhooks AS (UPDATE :schema.gatepost_webhook SET revision = greatest(revision + $1, $2)),
    tasks AS (UPDATE :schema.gatepost_task SET revision = greatest(revision + $1, $2))
UPDATE :schema.gatepost_event SET revision = greatest(revision + $1, $2)
