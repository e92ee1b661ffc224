-- $1, $2: from which delivery until before which. $3: an owner. The last of this owner's that is shown, or one after it: as
-- next_shown.sql finds the first.
SELECT max(f.id) FROM (
    SELECT s.id FROM :schema.gatepost_webhook v CROSS JOIN LATERAL (
        SELECT d.id FROM :schema.gatepost_delivery_all d
        WHERE d.webhook = v.id AND d.id > v.floor AND d.id >= $1 AND d.id < $2 ORDER BY d.id DESC LIMIT 1) s
    WHERE v.owner = $3
    UNION ALL
    SELECT s.id FROM :schema.gatepost_webhook v CROSS JOIN LATERAL (
        SELECT q.id FROM :schema.gatepost_queue q
        WHERE q.webhook = v.id AND q.id >= $1 AND q.id < $2 ORDER BY q.webhook DESC, q.id DESC LIMIT 1) s
    WHERE v.owner = $3
    UNION ALL
    SELECT u.id FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (id) WHERE u.id >= $1 AND u.id < $2
) f
