-- $1: until when. $2, $3: the point after which to look. $4: how many rows to look at. $5..$7: webhook and
-- class of lanes, and due when each begins.
WITH part AS MATERIALIZED (
    SELECT q.due, q.id, q.webhook, q.class FROM :schema.gatepost_queue q
    WHERE (q.due, q.id) > ($2::timestamptz, $3::bigint) AND q.due <= $1::timestamptz AND q.class >= 0 ORDER BY q.due, q.id LIMIT $4
), last AS MATERIALIZED (
    SELECT due AS last_due, id AS last_id FROM part WHERE (SELECT count(*) FROM part) >= $4 ORDER BY due DESC, id DESC LIMIT 1
), lane AS MATERIALIZED (
    SELECT p.webhook, p.class, CASE WHEN f.since IS NOT NULL THEN least(f.since, p.due) END AS since, $1::timestamptz AS now
    FROM (SELECT webhook, class, min(due) AS due FROM part GROUP BY webhook, class) p
    LEFT JOIN unnest($5::bigint[], $6::smallint[], $7::timestamptz[]) AS f (webhook, class, since) ON f.webhook = p.webhook AND f.class = p.class
)
