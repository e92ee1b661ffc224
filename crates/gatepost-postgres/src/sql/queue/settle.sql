-- Many settlements in one statement; no delivery stands in it twice.
-- $1 delivery, $2 token, $3 state, $4 due (queued only), $5 status_info, $6 whether an attempt was made,
-- $7..$21 the attempt, $22 whether the claim is given back, $23 whether the message is kept. Answers the positions (from 1) that were stored.
WITH given AS (
    SELECT g.*
    FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::timestamptz[], $5::text[], $6::boolean[],
                $7::timestamptz[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[],
                $13::text[], $14::text[], $15::int[], $16::text[], $17::text[], $18::bytea[], $19::bytea[], $20::boolean[], $21::boolean[], $22::boolean[], $23::boolean[])
         WITH ORDINALITY AS g (delivery, token, state, due, status_info, attempted,
                started, duration_us, dns_us, connect_us, tls_us, first_byte_us,
                class, info, status, remote, protocol, response_head, response_body, truncated, kept, released, keep_message, ord)
), done AS (
    UPDATE gatepost_delivery d SET
        state = g.state,
        due = coalesce(g.due, d.due),
        lease_until = NULL,
        settled = g.token,
        status_info = g.status_info,
        -- What is given back is as it was before the claim.
        class = CASE WHEN g.released THEN d.class WHEN g.attempted OR d.attempts > 0 THEN 1 ELSE 0 END,
        body = CASE WHEN g.state IN ('sent', 'error') AND NOT g.keep_message THEN '' ELSE d.body END,
        message_kept = d.message_kept AND (g.state NOT IN ('sent', 'error') OR g.keep_message),
        attempts = d.attempts + g.attempted::int,
        logged = d.logged + g.attempted::int,
        last_attempt = CASE WHEN g.attempted THEN g.started ELSE d.last_attempt END,
        response_status = CASE WHEN g.attempted THEN g.status ELSE d.response_status END,
        duration_us = CASE WHEN g.attempted THEN g.duration_us ELSE d.duration_us END
    FROM given g, gatepost_webhook w, gatepost_owner o
    -- Found by their key: `|| ''` hides the index of all running rows, which a planner without
    -- fresh statistics takes for a short one.
    WHERE d.id = g.delivery AND d.state || '' = 'running' AND d.claims = g.token
        AND w.id = d.webhook AND NOT w.gone AND o.owner = d.owner AND NOT o.gone
    RETURNING d.id, d.logged, g.*
), attempt AS (
    INSERT INTO gatepost_attempt (delivery, number, started, duration_us, dns_us, connect_us, tls_us, first_byte_us,
        class, info, status, remote, protocol, response_head, response_body, truncated, kept)
    SELECT id, logged, started, duration_us, dns_us, connect_us, tls_us, first_byte_us,
        class, info, status, remote, protocol, response_head, response_body, truncated, kept
    FROM done WHERE attempted
)
SELECT ARRAY(SELECT ord FROM done) AS done
