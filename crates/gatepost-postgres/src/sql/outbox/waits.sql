-- $1: holder. $2: now. Whether there may be something to take: a row that has not been looked at, or an audience that stands in line,
-- whose time has come, or that this holder has. Asked first, since it costs little and most of the time there is nothing.
SELECT EXISTS (SELECT FROM :schema.gatepost_outbox_look l
    WHERE
