DELETE FROM gatepost_rejected WHERE (webhook, reason, minute) IN (
    SELECT webhook, reason, minute FROM gatepost_rejected WHERE webhook = ?1 LIMIT ?2)
