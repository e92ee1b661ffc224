-- $1: holder. $2: now. Whether there may be something to take: a row that has not been looked at, or an audience that stands in line,
-- whose time has come, or that this holder has. Asked first, since it costs little and most of the time there is nothing.
SELECT EXISTS (SELECT FROM :schema.gatepost_outbox_look l
    WHERE EXISTS (SELECT FROM :schema.gatepost_occurrence o WHERE o.rejected IS NULL AND o.arrived > l.done)
       OR EXISTS (SELECT FROM unnest(l.open, l.tenants, l.owners) AS x (arrived, tenant, owner) CROSS JOIN LATERAL (
            SELECT FROM :schema.gatepost_occurrence o
            WHERE o.rejected IS NULL AND o.arrived = x.arrived
              AND (o.arrived, coalesce(o.tenant, 0), coalesce(o.owner, 0)) > (x.arrived, x.tenant, x.owner) LIMIT 1) m))
    OR EXISTS (SELECT FROM :schema.gatepost_outbox_turn t WHERE t.ready)
    OR EXISTS (SELECT FROM :schema.gatepost_outbox_turn t WHERE NOT t.ready AND t.due <= $2::timestamptz)
    OR EXISTS (SELECT FROM :schema.gatepost_outbox_turn t WHERE t.holder = $1::text)
