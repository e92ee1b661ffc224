-- $3: now. No row of the queue is updated: each is deleted and inserted again.
, again AS (
    INSERT INTO :schema.gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    SELECT id, webhook, $3, tries, attempts, class, lost, marked FROM gone
)
