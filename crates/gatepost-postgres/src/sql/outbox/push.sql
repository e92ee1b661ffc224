INSERT INTO :schema.gatepost_occurrence (event_type, event, object_id, object_name, tags, variables, occurrence_id, tenant, owner, operators, due, created, data, webhooks, channel, trace)
VALUES ($1, $2, $3, $4, $5::text::jsonb, $6::text::jsonb, $7, $8, $9, $10, $11, $11, $12::text::json, $13::text::jsonb, $14, $15) RETURNING id
