-- $1: the tokens of all settlements of the transaction, in order, so that two never wait for each
-- other in a circle; a reclaim locks them or skips them. No delivery is in the settlements of a
-- statement twice.
WITH held AS MATERIALIZED (
    SELECT r.* FROM :schema.gatepost_running r WHERE r.id = ANY ($1::bigint[]) ORDER BY r.id FOR UPDATE
)
