-- $1: duration of the lease in seconds. The node acts on no generation yet.
WITH gone AS (DELETE FROM :schema.gatepost_node WHERE lease_until < clock_timestamp() - interval '1 hour')
INSERT INTO :schema.gatepost_node (acknowledged, lease_until)
VALUES (-1, clock_timestamp() + make_interval(secs => $1)) RETURNING id
