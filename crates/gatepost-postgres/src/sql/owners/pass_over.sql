-- $1: the minimum number of ids of keys and records to skip. $2: the minimum to continue from. $3,
-- $4: those of the log.
SELECT setval(s.sequence, greatest(nextval(s.sequence) + s.gap, s.floor)) FROM (VALUES
    (pg_get_serial_sequence(':schema.gatepost_key', 'id')::regclass, $1::bigint, $2::bigint),
    (pg_get_serial_sequence(':schema.gatepost_webhook', 'id')::regclass, $1, $2),
    (pg_get_serial_sequence(':schema.gatepost_task', 'id')::regclass, $1, $2),
    (pg_get_serial_sequence(':schema.gatepost_event', 'id')::regclass, $1, $2),
    (pg_get_serial_sequence(':schema.gatepost_node', 'id')::regclass, $1, $2),
    (':schema.gatepost_version'::regclass, $1, $2),
    (pg_get_serial_sequence(':schema.gatepost_occurrence', 'id')::regclass, $3::bigint, $4::bigint),
    (pg_get_serial_sequence(':schema.gatepost_audit', 'id')::regclass, $3, $4),
    (':schema.gatepost_delivery_id_seq'::regclass, $3, $4),
    (':schema.gatepost_claim'::regclass, $3, $4),
    (':schema.gatepost_outbox_taken'::regclass, $1, $2)
) AS s (sequence, gap, floor)
