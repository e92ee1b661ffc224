-- $1: an owner who was removed and exists again: their earlier records stay deleted.
WITH gone AS MATERIALIZED (
    SELECT owner FROM :schema.gatepost_owner WHERE owner = $1 AND gone FOR UPDATE
), webhooks AS (
    UPDATE :schema.gatepost_webhook SET gone = true WHERE owner = (SELECT owner FROM gone) AND NOT gatepost_webhook.gone
), keys AS (
    DELETE FROM :schema.gatepost_key WHERE owner = (SELECT owner FROM gone)
), records AS (
    DELETE FROM :schema.gatepost_record_usage WHERE owner = (SELECT owner FROM gone)
), log AS (
    DELETE FROM :schema.gatepost_log_usage WHERE owner = (SELECT owner FROM gone)
)
UPDATE :schema.gatepost_owner SET gone = false, known = false, held = false, moving = NULL, place = 'common', tenant = NULL
WHERE owner = (SELECT owner FROM gone)
