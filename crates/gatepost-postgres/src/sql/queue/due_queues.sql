-- $1: until this time. $2, $3: the point after which to search. $4: the number of rows to read. The
-- first of these rows in each queue is taken as its first delivery: those that were due earlier
-- have been found earlier, and claimed ones are not scanned.
WITH part AS MATERIALIZED (
    SELECT q.due, q.id, q.webhook, q.class FROM :schema.gatepost_queue q
    WHERE (q.due, q.id) > ($2::timestamptz, $3::bigint) AND q.due <= $1::timestamptz AND q.class >= 0 ORDER BY q.due, q.id LIMIT $4
), last AS MATERIALIZED (
    SELECT due AS last_due, id AS last_id FROM part WHERE (SELECT count(*) FROM part) >= $4 ORDER BY due DESC, id DESC LIMIT 1
), queue AS MATERIALIZED (
    SELECT webhook, class, min(due) AS since, $1::timestamptz AS now FROM part GROUP BY webhook, class
)
