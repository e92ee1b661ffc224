-- Owners of whom nothing of before their move is left that has not ended.
UPDATE gatepost_owner o SET moving = NULL
WHERE o.moving IS NOT NULL AND NOT o.gone AND (
    SELECT min(d.id) FROM gatepost_webhook w CROSS JOIN LATERAL (
        SELECT d.id FROM gatepost_delivery d
        WHERE d.webhook = w.id AND d.state IN ('queued', 'running') AND d.id <= o.moving LIMIT 1) d
    WHERE w.owner = o.owner AND NOT w.gone) IS NULL
