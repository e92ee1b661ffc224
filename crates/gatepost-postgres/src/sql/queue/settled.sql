-- $1, $2: deliveries and tokens of settlements that were not stored. Returns those whose last
-- settlement has the same token.
SELECT ARRAY(
    SELECT g.delivery FROM unnest($1::bigint[], $2::bigint[]) AS g (delivery, token)
    CROSS JOIN LATERAL (
        (SELECT o.token FROM :schema.gatepost_outcome o WHERE o.delivery = g.delivery ORDER BY o.delivery DESC, o.token DESC LIMIT 1)
        UNION ALL
        (SELECT o.token FROM :schema.gatepost_outcome_old o WHERE o.delivery = g.delivery ORDER BY o.delivery DESC, o.token DESC LIMIT 1)
        LIMIT 1
    ) o
    WHERE o.token = g.token) AS done
