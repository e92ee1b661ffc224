SELECT attempts AS number, started, duration_us, dns_us, connect_us, tls_us, first_byte_us, class, info, status, remote,
    protocol, coalesce(request_head, x'') AS request_head, response_head, response_body, truncated, kept
FROM gatepost_outcome WHERE delivery = ?1 AND started IS NOT NULL ORDER BY token DESC LIMIT ?2
