-- ?1: the maximum bytes of the log. Whether each of the oldest rows is too old, or the log too
-- large.
SELECT d.id, d.created < l.created_before OR l.bytes > ?1
FROM gatepost_log l CROSS JOIN gatepost_delivery d ON d.id > l.walked ORDER BY d.id LIMIT ?2
