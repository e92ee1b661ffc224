-- $1..$4: owner, deliveries, bytes of messages, bytes of the log; each owner once, in order, so
-- that two calls never wait for each other in a circle. A sum below 0 is set to 0; a row that
-- begins below 0 is read as 0.
WITH given AS MATERIALIZED (
    SELECT a.* FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[]) AS a (owner, waiting, waiting_bytes, log_bytes)
    WHERE (SELECT o.gone FROM :schema.gatepost_owner o WHERE o.owner = a.owner) IS NOT TRUE
    ORDER BY a.owner
)
INSERT INTO :schema.gatepost_log_usage AS u (owner, waiting, waiting_bytes, log_bytes)
SELECT owner, waiting, waiting_bytes, log_bytes FROM given
ON CONFLICT (owner) DO UPDATE SET
    waiting = greatest(greatest(u.waiting, 0) + excluded.waiting, 0),
    waiting_bytes = greatest(greatest(u.waiting_bytes, 0) + excluded.waiting_bytes, 0),
    log_bytes = greatest(greatest(u.log_bytes, 0) + excluded.log_bytes, 0)
