-- $1: a time. The first id from which on deliveries were stored at that time or later: `created`
-- rises with the id, except for clock differences between processes, for which the caller adds a
-- margin. A binary search, with one probe for each step.
WITH RECURSIVE search (low, high) AS (
    SELECT 0::bigint, (SELECT last_value + 1 FROM :schema.gatepost_delivery_id_seq)
    UNION ALL
    SELECT CASE WHEN p.created < $1 THEN p.id + 1 ELSE s.low END,
           CASE WHEN p.created < $1 THEN s.high ELSE m.mid END
    FROM search s CROSS JOIN LATERAL (SELECT s.low + (s.high - s.low) / 2 AS mid) m
    LEFT JOIN LATERAL (
        SELECT d.id, d.created FROM :schema.gatepost_delivery d WHERE d.id >= m.mid ORDER BY d.id LIMIT 1) p ON true
    WHERE s.low < s.high
)
SELECT low FROM search WHERE low >= high
