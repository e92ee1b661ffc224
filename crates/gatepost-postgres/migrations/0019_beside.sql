-- Deliveries that ran when their webhook became one in order, and their tokens, which they share with deliveries of others: until they have
-- ended nothing of it is claimed. Noted by the edit once it is stored, NULL until then. Webhooks that were in order before go on by
-- `ordered_after`, as does one whose edit was broken off.
ALTER TABLE :schema.gatepost_webhook ADD COLUMN beside bigint[] DEFAULT '{}', ADD COLUMN beside_tokens bigint[] DEFAULT '{}';
