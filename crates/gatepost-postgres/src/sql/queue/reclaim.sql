-- $1: now. $2: lost claims that end a delivery, which counts as failed. $3: its reason. A loss
-- counts only if the delivery had lost a claim before; before the last permitted loss the delivery
-- is quarantined (3).
-- If there is an outcome already, another follows under a new token, so that the first is no longer
-- the last.
WITH member AS MATERIALIZED (
    SELECT r.id AS token, u.delivery, coalesce(r.tries[u.pos], 0) AS tries, coalesce(r.attempts[u.pos], 0) AS attempts,
           (coalesce(r.lost[u.pos], 0) + (coalesce(r.class[u.pos], 0) >= 2)::int)::smallint AS lost
    FROM :schema.gatepost_running r CROSS JOIN LATERAL unnest(r.ids) WITH ORDINALITY AS u (delivery, pos)
    WHERE r.id = ANY (current_setting('gatepost.reclaimed')::bigint[]) AND u.delivery IS NOT NULL
), open AS MATERIALIZED (
    SELECT m.*, d.webhook, d.owner, d.tenant, d.task, l.status_info, coalesce(l.class, '') AS class, l.token IS NOT NULL AS marked
    FROM member m
    CROSS JOIN LATERAL (
        SELECT d.webhook, d.owner, d.tenant, d.task FROM :schema.gatepost_delivery d WHERE d.id = m.delivery
        UNION ALL SELECT d.webhook, d.owner, d.tenant, d.task FROM :schema.gatepost_delivery_old d WHERE d.id = m.delivery
        LIMIT 1
    ) d
    JOIN :schema.gatepost_webhook w ON w.id = d.webhook AND NOT w.gone JOIN :schema.gatepost_owner o ON o.owner = d.owner AND NOT o.gone
    LEFT JOIN LATERAL (
        (SELECT o.token, o.status_info, o.class FROM :schema.gatepost_outcome o WHERE o.delivery = m.delivery ORDER BY o.delivery DESC, o.token DESC LIMIT 1)
        UNION ALL
        (SELECT o.token, o.status_info, o.class FROM :schema.gatepost_outcome_old o WHERE o.delivery = m.delivery ORDER BY o.delivery DESC, o.token DESC LIMIT 1)
        LIMIT 1
    ) l ON true
    WHERE (SELECT o.token FROM :schema.gatepost_outcome_all o WHERE o.delivery = m.delivery AND o.token = m.token) IS NULL
), logged AS (
    INSERT INTO :schema.gatepost_outcome (delivery, token, webhook, owner, tenant, task, attempts, tries, state, lost, class, status_info)
    SELECT delivery, nextval(':schema.gatepost_claim'), CASE WHEN lost >= $2::int THEN webhook END, CASE WHEN lost >= $2::int THEN owner END,
        CASE WHEN lost >= $2::int THEN tenant END, CASE WHEN lost >= $2::int THEN task END, attempts, tries,
        CASE WHEN lost >= $2::int THEN 3 ELSE 1 END, lost, class, CASE WHEN lost >= $2::int THEN $3::text ELSE status_info END
    FROM open WHERE lost >= $2::int OR marked
), again AS (
    INSERT INTO :schema.gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    SELECT delivery, webhook, $1::timestamptz, tries, attempts, CASE WHEN lost + 1 < $2::int THEN 2 ELSE 3 END, lost, marked FROM open WHERE lost < $2::int
    ON CONFLICT DO NOTHING
), counted AS (
    INSERT INTO :schema.gatepost_count AS c (webhook, hour, sent, failed, retried, milliseconds, bytes)
    SELECT n.webhook, date_trunc('hour', $1::timestamptz, 'UTC'), 0, count(*), 0, 0, 0
    FROM open n WHERE n.lost >= $2::int GROUP BY n.webhook ORDER BY n.webhook
    ON CONFLICT (webhook, hour) DO UPDATE SET failed = c.failed + excluded.failed
), removed AS (
    DELETE FROM :schema.gatepost_running WHERE id = ANY (current_setting('gatepost.reclaimed')::bigint[])
)
SELECT ARRAY(SELECT webhook FROM open WHERE lost < $2::int) AS requeued, (SELECT count(*) FROM open WHERE lost >= $2::int) AS ended
