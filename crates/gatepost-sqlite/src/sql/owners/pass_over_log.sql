-- ?1: the minimum number of ids to skip. ?2: the minimum to continue from. The counters that
-- processes watch rise, too.
UPDATE gatepost_log SET delivery = max(delivery + ?1, ?2), token = max(token + ?1, ?2), arrived = max(arrived + ?1, ?2),
    stirred = max(stirred + ?1, ?2)
