-- $1, $2: task, time. A task that somebody holds at this moment is passed over: its next run is as good.
WITH run AS (
    SELECT id, max(at) AS at FROM unnest($1::bigint[], $2::timestamptz[]) AS u (id, at) GROUP BY id
), free AS MATERIALIZED (
    SELECT t.id, r.at FROM run r JOIN :schema.gatepost_task t ON t.id = r.id
    WHERE t.last_run IS NULL OR t.last_run < r.at
    ORDER BY t.id FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE :schema.gatepost_task t SET last_run = f.at FROM free f WHERE t.id = f.id
