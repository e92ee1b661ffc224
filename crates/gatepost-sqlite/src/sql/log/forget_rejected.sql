DELETE FROM gatepost_rejected WHERE (webhook, reason, minute) IN (
    SELECT webhook, reason, minute FROM gatepost_rejected INDEXED BY gatepost_rejected_at WHERE minute < ?1 ORDER BY minute LIMIT ?2)
