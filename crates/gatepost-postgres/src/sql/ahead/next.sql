-- The deliveries of the next bite: those after $1 and after all that is copied, up to $2; at most 10,000, and no more once
-- their messages have 16 MiB.
SELECT array_agg(id ORDER BY id) FROM (
    SELECT id, sum(size) OVER (ORDER BY id) - size AS before FROM (
        SELECT id, octet_length(body) AS size FROM :schema.gatepost_delivery
        WHERE id > greatest($1, (SELECT max(id) FROM :schema.gatepost_delivery_ahead)) AND id <= $2
        ORDER BY id LIMIT 10000) d) b
WHERE before < 16777216
