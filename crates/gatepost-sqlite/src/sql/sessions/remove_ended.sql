-- ?1: now. ?2: at most.
DELETE FROM gatepost_session WHERE digest IN (
    SELECT digest FROM gatepost_session WHERE until <= ?1 ORDER BY until LIMIT ?2
)
