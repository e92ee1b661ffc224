UPDATE gatepost_webhook SET gone = 1
WHERE owner = ?1 AND name = ?2 AND gone = 0 AND id <= (SELECT gone_webhooks FROM gatepost_owner WHERE owner = ?1)
