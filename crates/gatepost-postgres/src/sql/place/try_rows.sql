    -- $4, $5: the same of tasks and events.
    UNION SELECT :slot(o.place) FROM :schema.gatepost_task t JOIN :schema.gatepost_owner o USING (owner) WHERE t.id = ANY ($4::bigint[])
    UNION SELECT :slot(o.place) FROM :schema.gatepost_event e JOIN :schema.gatepost_owner o USING (owner) WHERE e.id = ANY ($5::bigint[])
