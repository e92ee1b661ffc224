-- $1: until when. $2, $3: the point after which to look. $4: how many rows to look at. Of each lane the first of these
-- rows is taken for its head: what was due before has been found before, and what was claimed is not walked over.
WITH part AS MATERIALIZED (
    SELECT q.due, q.id, q.webhook, q.class FROM :schema.gatepost_queue q
    WHERE (q.due, q.id) > ($2::timestamptz, $3::bigint) AND q.due <= $1::timestamptz AND q.class >= 0 ORDER BY q.due, q.id LIMIT $4
), last AS MATERIALIZED (
    SELECT due AS last_due, id AS last_id FROM part WHERE (SELECT count(*) FROM part) >= $4 ORDER BY due DESC, id DESC LIMIT 1
), lane AS MATERIALIZED (
    SELECT webhook, class, min(due) AS since, $1::timestamptz AS now FROM part GROUP BY webhook, class
)
