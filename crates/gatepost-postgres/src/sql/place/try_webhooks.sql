    -- $3: webhooks whose owners' places are needed too; a webhook that is in none of the places or in order, and is not
    -- named, is found out by the next statement.
    UNION SELECT :slot(o.place) FROM :schema.gatepost_webhook w JOIN :schema.gatepost_owner o USING (owner) WHERE w.id = ANY ($3::bigint[])
    UNION SELECT 64 + (w.id & 255)::int FROM :schema.gatepost_webhook w WHERE w.id = ANY ($3::bigint[]) AND w.in_order
