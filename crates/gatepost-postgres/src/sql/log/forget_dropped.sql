-- $1: minutes before. $2: limit.
DELETE FROM gatepost_dropped d USING (
    SELECT webhook, reason, minute FROM gatepost_dropped WHERE minute < $1 ORDER BY minute LIMIT $2) old
WHERE d.webhook = old.webhook AND d.reason = old.reason AND d.minute = old.minute
