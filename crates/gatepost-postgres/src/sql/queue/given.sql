-- Settlements; no delivery stands among them twice.
-- $1: all tokens of the call. $2 delivery, $3 token, $4 state (as in gatepost_outcome), $5 due, $6 status_info, $7..$12 the attempt, or NULL
-- if none was made, $13 whether the claim is given back, $14 whether the message is kept.
WITH given AS NOT MATERIALIZED (
    SELECT g.*, g.started IS NOT NULL AS attempted
    FROM unnest($2::bigint[], $3::bigint[], $4::smallint[], $5::timestamptz[], $6::text[],
                $7::timestamptz[], $8::bigint[], $9::text[], $10::int[], $11::bigint[], $12::bytea[], $13::boolean[], $14::boolean[])
         AS g (delivery, token, state, due, status_info, started, duration_us, class, status, kept_bytes, detail, released, keep_message)
), held AS MATERIALIZED (
    -- In order, so that two never wait for each other in a circle; whoever reclaims has them or passes them over.
    SELECT r.* FROM :schema.gatepost_running r WHERE r.id = ANY ($1::bigint[]) ORDER BY r.id FOR UPDATE
)
