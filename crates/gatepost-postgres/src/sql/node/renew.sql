-- $1: the node. $2: the generation that it acts on. $3: duration of the lease in seconds.
UPDATE :schema.gatepost_node SET acknowledged = $2, lease_until = clock_timestamp() + make_interval(secs => $3) WHERE id = $1
