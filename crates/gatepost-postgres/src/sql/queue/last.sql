-- $1: deliveries. The last outcome of each, and its last attempt.
SELECT x.id, l.status_info, l.class, a.started, a.status, a.duration_us
FROM unnest($1::bigint[]) AS x (id)
CROSS JOIN LATERAL (
    (SELECT o.status_info, o.class FROM :schema.gatepost_outcome o WHERE o.delivery = x.id ORDER BY o.delivery DESC, o.token DESC LIMIT 1)
    UNION ALL (SELECT o.status_info, o.class FROM :schema.gatepost_outcome_old o WHERE o.delivery = x.id ORDER BY o.delivery DESC, o.token DESC LIMIT 1)
    LIMIT 1
) l
LEFT JOIN LATERAL (
    (SELECT o.started, o.status, o.duration_us FROM :schema.gatepost_outcome o
     WHERE o.delivery = x.id AND o.started IS NOT NULL ORDER BY o.delivery DESC, o.token DESC LIMIT 1)
    UNION ALL (SELECT o.started, o.status, o.duration_us FROM :schema.gatepost_outcome_old o
     WHERE o.delivery = x.id AND o.started IS NOT NULL ORDER BY o.delivery DESC, o.token DESC LIMIT 1)
    LIMIT 1
) a ON true
