-- ?1: webhook. ?2: reason. ?3: minute. ?4: how many.
INSERT INTO gatepost_rejected (webhook, reason, minute, owner, count)
SELECT w.id, ?2, ?3, w.owner, ?4 FROM gatepost_live_webhook w WHERE w.id = ?1
ON CONFLICT (webhook, reason, minute) DO UPDATE SET count = count + excluded.count
