-- ?1: created before. ?2: limit.
SELECT d.id FROM gatepost_live_webhook w
CROSS JOIN gatepost_delivery d INDEXED BY gatepost_delivery_waiting ON d.webhook = w.id
WHERE w.activity <> 'active' AND w.held = 0 AND d.state = 0 AND d.created < ?1
ORDER BY d.id LIMIT ?2
