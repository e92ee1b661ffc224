-- $1: ids. The bytes of their messages, in the order of the request; a message is not fetched to
-- measure it.
SELECT coalesce((SELECT octet_length(d.body) FROM :schema.gatepost_delivery d WHERE d.id = asked.id LIMIT 1),
    (SELECT octet_length(d.body) FROM :schema.gatepost_delivery_old d WHERE d.id = asked.id LIMIT 1), 0)::bigint AS bytes
FROM unnest($1::bigint[]) WITH ORDINALITY AS asked (id, ord)
ORDER BY asked.ord
