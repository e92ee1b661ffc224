-- The token that was used last on a delivery whose webhook is not deleted.
SELECT o.token FROM gatepost_outcome o CROSS JOIN gatepost_delivery d ON d.id = o.delivery
WHERE o.delivery = ?1 AND EXISTS (SELECT 1 FROM gatepost_live_webhook w WHERE w.id = d.webhook)
ORDER BY o.token DESC LIMIT 1
