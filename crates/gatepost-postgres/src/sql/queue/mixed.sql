-- Webhooks in order that wait for claims from before the switch, which share their tokens with
-- others: looked up once for all queues.
, ordered AS MATERIALIZED (
    SELECT w.* FROM queue l CROSS JOIN LATERAL (
        SELECT w.id, abs(w.ordered_after) AS ordered_after,
               -- The edit is under way (records/ordered.sql), or was interrupted: a claim that had
               -- read no order may take 30 s, the edit may have waited for 10 s after it had its
               -- time, and clocks may differ by 60 s.
               w.ordered_after < 0 AND w.modified BETWEEN l.now - interval '105 s' AND l.now + interval '60 s' AS edited
        FROM :schema.gatepost_webhook w WHERE w.id = l.webhook AND w.in_order LIMIT 1) w
), mixed AS MATERIALIZED (
    SELECT d.webhook
    FROM :schema.gatepost_running r CROSS JOIN LATERAL unnest(r.ids) AS u (id) CROSS JOIN LATERAL (
        SELECT d.webhook FROM :schema.gatepost_delivery d WHERE d.id = u.id
        UNION ALL SELECT d.webhook FROM :schema.gatepost_delivery_old d WHERE d.id = u.id LIMIT 1) d
    WHERE r.id <= (SELECT max(nullif(w.ordered_after, 0)) FROM ordered w WHERE NOT w.edited)
        AND (SELECT o.token FROM :schema.gatepost_outcome_all o WHERE o.delivery = u.id AND o.token = r.id) IS NULL
    UNION ALL SELECT w.id FROM ordered w WHERE w.edited
)
