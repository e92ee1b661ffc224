            -- Nothing of a webhook `l`, which is in order, is running.
            (SELECT r.id FROM :schema.gatepost_running r WHERE r.webhook = l.webhook LIMIT 1) IS NULL AND (
                SELECT r.id FROM :schema.gatepost_running r CROSS JOIN LATERAL unnest(r.ids) AS u (id) CROSS JOIN LATERAL (
                    SELECT d.webhook FROM :schema.gatepost_delivery d WHERE d.id = u.id
                    UNION ALL SELECT d.webhook FROM :schema.gatepost_delivery_old d WHERE d.id = u.id LIMIT 1) d
                WHERE r.id <= l.ordered_after AND d.webhook = l.webhook
                    AND (SELECT o.token FROM :schema.gatepost_outcome_all o WHERE o.delivery = u.id AND o.token = r.id) IS NULL
                LIMIT 1) IS NULL
