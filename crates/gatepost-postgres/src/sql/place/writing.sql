-- $1: transactions, of which to return those that are still under way, or NULL for all that may add
-- to the queue or remove from it: each has this lock before its snapshot begins, and until its
-- commit.
SELECT DISTINCT l.virtualtransaction FROM pg_locks l
WHERE l.locktype = 'relation' AND l.relation = ':schema.gatepost_queue'::regclass AND l.mode = 'RowExclusiveLock' AND l.granted
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    AND ($1::text[] IS NULL OR l.virtualtransaction = ANY ($1::text[]))
