UPDATE gatepost_owner SET unfinished = 0
WHERE unfinished = 1 AND gone_keys = 0 AND gone_webhooks = 0 AND moved = 0
