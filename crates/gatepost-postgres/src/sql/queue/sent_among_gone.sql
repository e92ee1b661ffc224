        -- While something is gone, each delivery is asked for its webhook and its owner.
        AND ((SELECT w.id FROM :schema.gatepost_webhook w WHERE w.gone LIMIT 1) IS NULL
            AND (SELECT o.owner FROM :schema.gatepost_owner o WHERE o.gone LIMIT 1) IS NULL
            OR (SELECT w.id FROM (
                    SELECT d.webhook, d.owner FROM :schema.gatepost_delivery d WHERE d.id = g.delivery
                    UNION ALL SELECT d.webhook, d.owner FROM :schema.gatepost_delivery_old d WHERE d.id = g.delivery
                    LIMIT 1) d
                JOIN :schema.gatepost_webhook w ON w.id = d.webhook AND NOT w.gone
                JOIN :schema.gatepost_owner o ON o.owner = d.owner AND NOT o.gone) IS NOT NULL)
