DELETE FROM gatepost_count WHERE (webhook, hour) IN (
    SELECT webhook, hour FROM gatepost_count INDEXED BY gatepost_count_at WHERE hour < ?1 ORDER BY hour LIMIT ?2)
