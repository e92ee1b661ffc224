INSERT INTO gatepost_attempt (delivery, number, started, duration_us, dns_us, connect_us, tls_us, first_byte_us,
    class, info, status, remote, protocol, response_head, response_body, truncated, kept)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
