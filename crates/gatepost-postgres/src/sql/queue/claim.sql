, free AS MATERIALIZED (
    SELECT d.tid
    FROM queue l
    CROSS JOIN LATERAL (
        SELECT q.ctid AS tid FROM :schema.gatepost_queue q
        WHERE q.webhook = l.webhook AND q.class = l.class AND (q.due, q.id) >= (coalesce(l.since, '-infinity'), 0) AND q.due <= $6
        ORDER BY q.webhook, q.class, q.due, q.id LIMIT l.most FOR UPDATE SKIP LOCKED
    ) d
    WHERE NOT l.in_order
), heads AS MATERIALIZED (
    SELECT d.*
    FROM queue l
    CROSS JOIN LATERAL (SELECT q.id FROM :schema.gatepost_queue q WHERE q.webhook = ANY (ARRAY[l.webhook])
        ORDER BY q.webhook, q.id LIMIT 1) head
    CROSS JOIN LATERAL (
        SELECT q.ctid AS tid, q.* FROM :schema.gatepost_queue q
        WHERE q.id = head.id AND q.class = l.class AND q.due <= $6 FOR UPDATE SKIP LOCKED
    ) d
    WHERE l.in_order AND l.most > 0 AND (
