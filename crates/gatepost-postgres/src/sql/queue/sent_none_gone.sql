        -- Reads nothing of the log: stores nothing while anything at all is gone.
        AND (SELECT w.id FROM :schema.gatepost_webhook w WHERE w.gone LIMIT 1) IS NULL
        AND (SELECT o.owner FROM :schema.gatepost_owner o WHERE o.gone LIMIT 1) IS NULL
