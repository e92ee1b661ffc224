-- Of what occurs in channels, a webhook receives those that are named, joined by commas; '' names none, and it receives all. And its own
-- delays between attempts, in seconds, joined by commas; '' is the platform's schedule. Webhooks of before have neither.
-- The webhooks that an occurrence is for, an array of 1 to 100 integers, and its channel; NULL where it is for all, or has none.
-- No row is written again.
ALTER TABLE :schema.gatepost_webhook
    ADD COLUMN channels text NOT NULL DEFAULT '',
    ADD COLUMN retry_schedule text NOT NULL DEFAULT '';
ALTER TABLE :schema.gatepost_occurrence
    ADD COLUMN webhooks jsonb,
    ADD COLUMN channel text;
