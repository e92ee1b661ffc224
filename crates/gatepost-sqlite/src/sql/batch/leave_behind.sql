-- Records a delivery that was open when retention passed it.
INSERT INTO gatepost_left_behind (delivery) SELECT ?1 FROM gatepost_log WHERE walked >= ?1 ON CONFLICT DO NOTHING
