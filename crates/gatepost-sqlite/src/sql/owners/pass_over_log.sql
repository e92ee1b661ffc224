-- What processes wait for rises by as much: whoever saw it higher sees that it moved.
UPDATE gatepost_log SET delivery = delivery + ?1, token = token + ?1, arrived = arrived + ?1, stirred = stirred + ?1
