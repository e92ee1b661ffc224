DELETE FROM gatepost_dropped WHERE (webhook, reason, minute) IN (
    SELECT webhook, reason, minute FROM gatepost_dropped INDEXED BY gatepost_dropped_at WHERE minute < ?1 ORDER BY minute LIMIT ?2)
