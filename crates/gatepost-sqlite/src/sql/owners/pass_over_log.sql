-- ?1: how many are passed over at least. ?2: the least to go on from. What processes wait for rises, too.
UPDATE gatepost_log SET delivery = max(delivery + ?1, ?2), token = max(token + ?1, ?2), arrived = max(arrived + ?1, ?2),
    stirred = max(stirred + ?1, ?2)
