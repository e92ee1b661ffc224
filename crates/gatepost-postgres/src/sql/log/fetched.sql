-- $2: the status text. $3: now. $6: whether the messages are kept. $7: the bytes that an attempt
-- counts. Deliveries that were removed from the queue end as sent.
, done AS (
    INSERT INTO :schema.gatepost_outcome (delivery, token, attempts, tries, state, lost, started, duration_us, class, status_info,
        kept_bytes)
    SELECT g.id, nextval(':schema.gatepost_claim'), g.attempts + 1, g.tries + 1, 2, g.lost, $3, 0, 'ok', $2,
        $7::bigint FROM gone g
), unkept AS (
    UPDATE :schema.gatepost_delivery SET body = NULL WHERE id = ANY (ARRAY(SELECT g.id FROM gone g WHERE NOT $6))
), unkept_old AS (
    UPDATE :schema.gatepost_delivery_old SET body = NULL WHERE id = ANY (ARRAY(SELECT g.id FROM gone g WHERE NOT $6))
)
