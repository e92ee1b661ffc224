SELECT webhook FROM gatepost_ended WHERE pass < ?1 ORDER BY webhook LIMIT ?2
