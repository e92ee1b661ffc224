INSERT INTO gatepost_count (webhook, hour, owner, sent, failed, retried, milliseconds, bytes, last_sent)
SELECT w.id, ?2, w.owner, ?3, ?4, ?5, ?6, ?7, ?8 FROM gatepost_live_webhook w WHERE w.id = ?1
ON CONFLICT (webhook, hour) DO UPDATE SET sent = sent + ?3, failed = failed + ?4, retried = retried + ?5,
    milliseconds = milliseconds + ?6, bytes = bytes + ?7,
    last_sent = max(coalesce(last_sent, ?8), coalesce(?8, last_sent))
