-- ?1: created before. ?2: limit. ?3: reason.
UPDATE gatepost_delivery SET state = 3, status_info = ?3
WHERE id IN (
    SELECT d.id FROM gatepost_live_webhook w CROSS JOIN gatepost_delivery d
    WHERE w.activity <> 'active' AND w.held = 0 AND d.webhook = w.id AND d.state = 0 AND d.created < ?1
    ORDER BY d.id LIMIT ?2)
