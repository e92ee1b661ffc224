SELECT id, ordered_to FROM gatepost_webhook INDEXED BY gatepost_webhook_ordering
WHERE ordered_to IS NOT NULL AND gone = 0 AND id > ?1 ORDER BY id LIMIT 1
