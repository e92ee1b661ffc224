-- $1: a webhook that has become one in order. $2: its revision since. Notes what runs of it, once no claim is under way that had not read
-- of the order (claiming.sql), and lets it be claimed from. Nothing where it was edited again: that edit does so.
WITH own AS MATERIALIZED (
    SELECT u.id, r.id AS token
    FROM :schema.gatepost_running r CROSS JOIN LATERAL unnest(r.ids) AS u (id) CROSS JOIN LATERAL (
        SELECT d.webhook FROM :schema.gatepost_delivery d WHERE d.id = u.id
        UNION ALL SELECT d.webhook FROM :schema.gatepost_delivery_old d WHERE d.id = u.id LIMIT 1) d
    WHERE r.webhook IS NULL AND d.webhook = $1::bigint
), beside AS MATERIALIZED (
    SELECT own.* FROM own
    WHERE (SELECT o.token FROM :schema.gatepost_outcome_all o WHERE o.delivery = own.id AND o.token = own.token) IS NULL
)
UPDATE :schema.gatepost_webhook w SET ordered_after = 0,
    beside = ARRAY(SELECT b.id FROM beside b ORDER BY b.token, b.id),
    beside_tokens = ARRAY(SELECT b.token FROM beside b ORDER BY b.token, b.id)
-- What was leased beside this (queue/store.sql) is in no view of this statement: once more then.
WHERE w.id = $1 AND w.revision = $2::bigint AND w.beside IS NULL
    AND w.ordered_after = (SELECT o.ordered_after FROM :schema.gatepost_webhook o WHERE o.id = $1)
