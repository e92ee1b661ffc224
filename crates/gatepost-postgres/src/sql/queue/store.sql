-- The end of both enqueues: stores what `verdicts` lets pass of `new`. What is leased shares a token, by length of the lease.
, stored AS MATERIALIZED (
    SELECT nextval(':schema.gatepost_delivery_id_seq') AS id, q.*
    FROM (SELECT n.* FROM new n, verdicts v WHERE v.list[n.item] = 0 ORDER BY n.ord) q
), delivery AS (
    INSERT INTO :schema.gatepost_delivery (id, webhook, owner, tenant, task, created, message_id, body, cause, moves)
    SELECT id, webhook, owner, tenant, task, created, message_id, body, cause, moves FROM stored
), queued AS (
    INSERT INTO :schema.gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    SELECT id, webhook, due, 0, 0, 0, 0, false FROM stored WHERE lease_until IS NULL
), leased AS MATERIALIZED (
    SELECT nextval(':schema.gatepost_claim') AS token, l.*
    FROM (
        SELECT max(lease_until) AS lease_until, array_agg(id) AS ids, array_agg(webhook) FILTER (WHERE in_order) AS in_order
        FROM stored WHERE lease_until IS NOT NULL GROUP BY lease_until - created, ord / 256
    ) l
), running AS (
    INSERT INTO :schema.gatepost_running (id, lease_until, open, ids)
    SELECT token, lease_until, cardinality(ids), ids FROM leased
), past_order AS (
    -- Of a webhook in order nothing is leased; whoever does it all the same lets it wait for that.
    UPDATE :schema.gatepost_webhook w SET ordered_after = CASE WHEN w.ordered_after < 0 THEN w.ordered_after ELSE greatest(w.ordered_after, l.token) END
    FROM leased l CROSS JOIN LATERAL unnest(l.in_order) AS u (webhook) WHERE w.id = u.webhook
)
