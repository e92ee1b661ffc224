-- $1: numbers of keys and records that are passed over. $2: those of the log.
SELECT setval(s.sequence, nextval(s.sequence) + s.passed_over) FROM (VALUES
    (pg_get_serial_sequence(':schema.gatepost_key', 'id')::regclass, $1::bigint),
    (pg_get_serial_sequence(':schema.gatepost_webhook', 'id')::regclass, $1),
    (pg_get_serial_sequence(':schema.gatepost_task', 'id')::regclass, $1),
    (pg_get_serial_sequence(':schema.gatepost_event', 'id')::regclass, $1),
    (pg_get_serial_sequence(':schema.gatepost_node', 'id')::regclass, $1),
    (':schema.gatepost_version'::regclass, $1),
    (pg_get_serial_sequence(':schema.gatepost_occurrence', 'id')::regclass, $2::bigint),
    (pg_get_serial_sequence(':schema.gatepost_audit', 'id')::regclass, $2),
    (':schema.gatepost_delivery_id_seq'::regclass, $2),
    (':schema.gatepost_claim'::regclass, $2),
    (':schema.gatepost_outbox_taken'::regclass, $1)
) AS s (sequence, passed_over)
