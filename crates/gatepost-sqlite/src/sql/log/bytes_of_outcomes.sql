SELECT coalesce(sum(?2 + coalesce(length(detail), 0)), 0) FROM gatepost_outcome WHERE delivery = ?1
