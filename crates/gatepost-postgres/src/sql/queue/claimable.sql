-- The first delivery of each queue that can be claimed from.
, claimable AS MATERIALIZED (
    SELECT l.webhook, l.class, h.due, l.owner, l.place, l.revision
    FROM (
        SELECT l.webhook, l.class, l.since, w.in_order, w.owner, w.revision, o.place
        FROM queue l JOIN :schema.gatepost_webhook w ON w.id = l.webhook AND w.activity = 'active' AND NOT w.gone
        JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT (o.held OR o.gone) AND o.moving IS NULL
    ) l
    CROSS JOIN LATERAL (
        (SELECT q.due FROM :schema.gatepost_queue q
         WHERE NOT l.in_order AND q.webhook = l.webhook AND q.class = l.class
               AND (q.due, q.id) >= (coalesce(l.since, '-infinity'), 0) AND q.due <= $1
         ORDER BY q.webhook, q.class, q.due, q.id LIMIT 1)
        UNION ALL
        SELECT q.due FROM (
            SELECT q.class, q.due FROM :schema.gatepost_queue q WHERE q.webhook = ANY (ARRAY[l.webhook])
            ORDER BY q.webhook, q.id LIMIT 1) q
        WHERE l.in_order AND q.class = l.class AND q.due <= $1 AND (
