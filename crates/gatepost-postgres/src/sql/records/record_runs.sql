UPDATE gatepost_task t SET last_run = r.at
FROM (SELECT id, max(at) AS at FROM unnest($1::bigint[], $2::timestamptz[]) AS u (id, at) GROUP BY id) r
WHERE t.id = r.id AND (t.last_run IS NULL OR t.last_run < r.at)
