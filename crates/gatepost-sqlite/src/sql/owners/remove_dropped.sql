DELETE FROM gatepost_dropped WHERE (webhook, reason, minute) IN (
    SELECT webhook, reason, minute FROM gatepost_dropped WHERE webhook = ?1 LIMIT ?2)
