-- $1: owners. Their usage, in the order of the request.
SELECT coalesce(u.waiting, 0) AS waiting, coalesce(u.waiting_bytes, 0) AS waiting_bytes, coalesce(u.log_bytes, 0) AS log_bytes
FROM unnest($1::uuid[]) WITH ORDINALITY AS asked (owner, ord)
LEFT JOIN LATERAL (SELECT * FROM :schema.gatepost_log_usage u WHERE u.owner = asked.owner LIMIT 1) u ON true
ORDER BY asked.ord
