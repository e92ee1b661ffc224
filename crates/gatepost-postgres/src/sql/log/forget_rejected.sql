-- $1: limit. $2: older rows are deleted.
DELETE FROM :schema.gatepost_rejected d USING (
    SELECT webhook, reason, minute FROM :schema.gatepost_rejected WHERE minute < $2 ORDER BY minute LIMIT $1) old
WHERE d.webhook = old.webhook AND d.reason = old.reason AND d.minute = old.minute
