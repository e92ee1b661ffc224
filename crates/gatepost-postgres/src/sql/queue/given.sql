-- Settlements; no delivery stands among them twice.
-- $1: all tokens of the call. $2 delivery, $3 token, $4 state (as in gatepost_outcome), $5 due, $6 status_info, $7 whether an attempt was
-- made, $8..$22 the attempt, $23 whether the claim is given back, $24 whether the message is kept, $25 the head of the request.
WITH given AS NOT MATERIALIZED (
    SELECT g.*
    FROM unnest($2::bigint[], $3::bigint[], $4::smallint[], $5::timestamptz[], $6::text[], $7::boolean[],
                $8::timestamptz[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
                $14::text[], $15::text[], $16::int[], $17::text[], $18::text[], $19::bytea[], $20::bytea[], $21::boolean[], $22::boolean[],
                $23::boolean[], $24::boolean[], $25::bytea[])
         AS g (delivery, token, state, due, status_info, attempted,
                started, duration_us, dns_us, connect_us, tls_us, first_byte_us,
                class, info, status, remote, protocol, response_head, response_body, truncated, kept, released, keep_message, request_head)
), held AS MATERIALIZED (
    -- In order, so that two never wait for each other in a circle; whoever reclaims has them or passes them over.
    SELECT r.* FROM :schema.gatepost_running r WHERE r.id = ANY ($1::bigint[]) ORDER BY r.id FOR UPDATE
)
