, queued AS (
    INSERT INTO :schema.gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    SELECT id, webhook, due, 0, 0, 0, 0, false FROM stored WHERE due IS NOT NULL
)
