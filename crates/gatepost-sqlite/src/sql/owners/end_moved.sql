-- ?1: owner. ?2: the last delivery that was made before. ?3: limit. ?4: reason.
UPDATE gatepost_delivery SET state = 3, status_info = ?4 WHERE id IN (
    SELECT d.id FROM gatepost_webhook w INDEXED BY gatepost_webhook_of_owner
    CROSS JOIN gatepost_delivery d INDEXED BY gatepost_delivery_waiting ON d.webhook = w.id
    WHERE w.owner = ?1 AND w.gone = 0 AND d.state = 0 AND d.id <= ?2 LIMIT ?3)
