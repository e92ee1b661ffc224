-- $1: how many ended deliveries of each webhook are shown. $2: how many webhooks are looked at, from where the last call ended.
WITH page AS MATERIALIZED (
    SELECT w.id, w.floor FROM :schema.gatepost_webhook w WHERE w.id > (SELECT k.webhook FROM :schema.gatepost_kept k) ORDER BY w.id LIMIT $2
), running AS MATERIALIZED (
    SELECT u.delivery FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (delivery)
    WHERE u.delivery IS NOT NULL AND (SELECT e.token FROM :schema.gatepost_outcome_all e WHERE e.delivery = u.delivery AND e.token = g.id) IS NULL
), low AS MATERIALIZED (
    SELECT p.id, f.id AS floor FROM page p CROSS JOIN LATERAL (
        SELECT d.id FROM :schema.gatepost_delivery_all d
        WHERE d.webhook = p.id AND d.id > p.floor
          AND (SELECT q.id FROM :schema.gatepost_queue q WHERE q.id = d.id) IS NULL AND d.id NOT IN (SELECT r.delivery FROM running r)
        ORDER BY d.webhook DESC, d.id DESC OFFSET $1 LIMIT 1) f
    -- Whether there are so many at all is read from the index alone.
    WHERE (SELECT d.id FROM :schema.gatepost_delivery_all d WHERE d.webhook = p.id AND d.id > p.floor
           ORDER BY d.webhook DESC, d.id DESC OFFSET $1 LIMIT 1) IS NOT NULL
), raised AS (
    UPDATE :schema.gatepost_webhook w SET floor = l.floor FROM low l WHERE w.id = l.id RETURNING 1
), moved AS (
    UPDATE :schema.gatepost_kept SET webhook = CASE WHEN (SELECT count(*) FROM page) < $2 THEN 0 ELSE (SELECT max(id) FROM page) END
    WHERE webhook <> CASE WHEN (SELECT count(*) FROM page) < $2 THEN 0 ELSE (SELECT max(id) FROM page) END
)
SELECT (SELECT count(*) FROM raised) AS raised, (SELECT count(*) FROM page) = $2 AS more
