-- $1, $2: audience. $3: holder. The next statement sees every row that was listed before this lock
-- was acquired.
SELECT FROM :schema.gatepost_outbox_turn WHERE tenant = $1 AND owner = $2 AND holder = $3 FOR UPDATE
