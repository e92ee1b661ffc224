-- $1: how many ended deliveries of each webhook are shown. $2: webhooks.
-- The floor is the id after which there are that many which have ended: counted from the newest, and on by as many as are open
-- among those, until that is all of them. A webhook is `crowded` while there may be more to hide once what is open has ended.
-- Where more than 5,000 wait among those, `open` is NULL, no number is equal to it, and nothing is hidden: a floor never goes down.
WITH running AS MATERIALIZED (
    SELECT u.delivery, d.webhook FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (delivery)
    CROSS JOIN LATERAL (SELECT d.webhook FROM :schema.gatepost_delivery_all d WHERE d.id = u.delivery LIMIT 1) d
    WHERE (SELECT e.token FROM :schema.gatepost_outcome_all e WHERE e.delivery = u.delivery AND e.token = g.id) IS NULL
), page AS MATERIALIZED (
    SELECT w.id, w.floor, w.crowded, f.id AS newest FROM :schema.gatepost_webhook w LEFT JOIN LATERAL (
        SELECT d.id FROM :schema.gatepost_delivery_all d WHERE d.webhook = ANY (ARRAY[w.id]) AND d.id > w.floor
        ORDER BY d.webhook DESC, d.id DESC OFFSET $1 LIMIT 1) f ON true
    WHERE w.id = ANY ($2::bigint[])
), low AS MATERIALIZED (
    SELECT p.id, CASE WHEN b.open = a.open THEN a.floor WHEN d.open = b.open THEN c.floor END AS floor, p.newest
    FROM page p
    CROSS JOIN LATERAL (
        SELECT o.open, (SELECT d.id FROM :schema.gatepost_delivery_all d WHERE d.webhook = ANY (ARRAY[p.id]) AND d.id > p.floor
            ORDER BY d.webhook DESC, d.id DESC OFFSET $1 + o.open LIMIT 1) AS floor
        FROM (SELECT (SELECT nullif(count(*), 5001) FROM (SELECT FROM :schema.gatepost_queue q WHERE q.webhook = p.id AND q.id >= p.newest LIMIT 5001) q)
            + (SELECT count(*) FROM running r WHERE r.webhook = p.id AND r.delivery >= p.newest) AS open) o) a
    CROSS JOIN LATERAL (
        SELECT (SELECT nullif(count(*), 5001) FROM (SELECT FROM :schema.gatepost_queue q WHERE q.webhook = p.id AND q.id >= a.floor LIMIT 5001) q)
            + (SELECT count(*) FROM running r WHERE r.webhook = p.id AND r.delivery >= a.floor) AS open) b
    CROSS JOIN LATERAL (
        SELECT (SELECT d.id FROM :schema.gatepost_delivery_all d WHERE b.open <> a.open AND d.webhook = ANY (ARRAY[p.id]) AND d.id > p.floor
            ORDER BY d.webhook DESC, d.id DESC OFFSET $1 + b.open LIMIT 1) AS floor) c
    CROSS JOIN LATERAL (
        SELECT (SELECT nullif(count(*), 5001) FROM (SELECT FROM :schema.gatepost_queue q WHERE q.webhook = p.id AND q.id >= c.floor LIMIT 5001) q)
            + (SELECT count(*) FROM running r WHERE r.webhook = p.id AND r.delivery >= c.floor) AS open) d
    WHERE p.newest IS NOT NULL
), judged AS MATERIALIZED (
    SELECT p.id, l.floor, p.newest IS NOT NULL AND l.floor IS DISTINCT FROM p.newest AS crowded
    FROM page p LEFT JOIN low l ON l.id = p.id
    WHERE l.floor IS NOT NULL OR p.crowded <> (p.newest IS NOT NULL AND l.floor IS DISTINCT FROM p.newest)
), raised AS (
    UPDATE :schema.gatepost_webhook w SET floor = coalesce(j.floor, w.floor), crowded = j.crowded
    FROM judged j WHERE w.id = j.id RETURNING j.floor IS NOT NULL AS raised
)
SELECT count(*) FILTER (WHERE raised) AS raised FROM raised
