-- $1: holder. $2: now. Whether there may be something to take: a row that has not been read, or an
-- audience that is ready, has become due, or belongs to this holder. Run first, because it is cheap
-- and usually finds nothing.
SELECT EXISTS (SELECT FROM :schema.gatepost_outbox_look l
    WHERE
