    )
    OR EXISTS (SELECT FROM :schema.gatepost_outbox_turn t WHERE t.ready)
    OR EXISTS (SELECT FROM :schema.gatepost_outbox_turn t WHERE NOT t.ready AND t.due <= $2::timestamptz)
    OR EXISTS (SELECT FROM :schema.gatepost_outbox_turn t WHERE t.holder = $1::text)
