SELECT octet_length(body) AS body,
    (SELECT coalesce(sum(o.kept_bytes), 0) FROM gatepost_outcome o WHERE o.delivery = gatepost_delivery.id) AS responses
FROM gatepost_delivery WHERE id = ?1
