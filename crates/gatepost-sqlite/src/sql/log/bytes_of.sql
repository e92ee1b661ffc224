SELECT octet_length(body) AS body,
    (SELECT coalesce(sum(coalesce(length(o.request_head), 0) + length(o.response_head) + length(o.response_body)), 0)
     FROM gatepost_outcome o WHERE o.delivery = gatepost_delivery.id) AS responses
FROM gatepost_delivery WHERE id = ?1
