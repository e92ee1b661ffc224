SELECT coalesce(sum(?2 + coalesce(length(request_head), 0) + coalesce(length(response_head), 0) + coalesce(length(response_body), 0)), 0)
FROM gatepost_outcome WHERE delivery = ?1
