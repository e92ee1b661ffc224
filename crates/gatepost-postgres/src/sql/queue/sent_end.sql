), done AS (
    INSERT INTO :schema.gatepost_outcome (delivery, token, attempts, tries, state, lost, status, started, duration_us, dns_us, connect_us, tls_us,
        first_byte_us, truncated, kept, class, status_info, info, remote, protocol, response_head, response_body, request_head)
    SELECT delivery, token, attempts, tries, state, lost, status, started, duration_us, dns_us, connect_us, tls_us,
        first_byte_us, truncated, kept, class, status_info, info, remote, protocol, response_head, response_body, request_head
    FROM valid WHERE (SELECT count(*) FROM valid) = cardinality($2)
    RETURNING delivery, token
)
