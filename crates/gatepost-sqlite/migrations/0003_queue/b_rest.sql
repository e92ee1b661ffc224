-- What is left to copy: what came after the last bite, and what changed since it was copied.
INSERT INTO gatepost_bite
    SELECT d.id FROM gatepost_delivery d WHERE d.id > (SELECT coalesce(max(id), 0) FROM gatepost_delivery_3)
    UNION SELECT id FROM gatepost_changed;
