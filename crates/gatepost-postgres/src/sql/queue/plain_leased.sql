-- $10: end of the lease.
, leased AS MATERIALIZED (
    SELECT nextval(':schema.gatepost_claim') AS token, array_agg(id) AS ids FROM stored WHERE due IS NULL HAVING count(*) > 0
), running AS (
    INSERT INTO :schema.gatepost_running (id, lease_until, open, ids)
    SELECT token, $10::timestamptz, cardinality(ids), ids FROM leased
)
SELECT (SELECT array_agg(id ORDER BY id) FROM stored) AS ids, (SELECT token FROM leased) AS token
