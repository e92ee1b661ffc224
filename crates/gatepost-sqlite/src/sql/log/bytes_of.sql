-- What an attempt keeps counts as long as it is read: `seal_attempt` makes each part 51 bytes longer, and begins it so.
SELECT octet_length(body) AS body,
    (SELECT coalesce(sum(coalesce(length(o.request_head) - 51 * (substr(o.request_head, 1, 6) = x'017365616c3a'), 0) + length(o.response_head) - 51 * (substr(o.response_head, 1, 6) = x'017365616c3a')
        + length(o.response_body) - 51 * (substr(o.response_body, 1, 6) = x'017365616c3a')), 0)
     FROM gatepost_outcome o WHERE o.delivery = gatepost_delivery.id) AS responses
FROM gatepost_delivery WHERE id = ?1
