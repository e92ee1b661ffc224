INSERT INTO gatepost_outcome (delivery, token, state, attempts, tries, lost, due, status_info, webhook, task, tenant,
    started, duration_us, dns_us, connect_us, tls_us, first_byte_us, class, info, status, remote, protocol, response_head,
    response_body, truncated, kept, request_head)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,
    ?25, ?26, ?27
WHERE EXISTS (SELECT 1 FROM gatepost_delivery WHERE id = ?1) ON CONFLICT DO NOTHING
