            -- No delivery of a webhook `l`, which is in order, is running.
            (SELECT r.id FROM :schema.gatepost_running r WHERE r.webhook = l.webhook LIMIT 1) IS NULL
                AND l.webhook NOT IN (SELECT m.webhook FROM mixed m)
