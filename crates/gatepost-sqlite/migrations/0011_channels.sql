-- Of what occurs in channels, a webhook receives those that are named, joined by commas; '' names none, and it receives all. And its own
-- delays between attempts, in seconds, joined by commas; '' is the platform's schedule. Webhooks of before have neither. No row is
-- written again.
ALTER TABLE gatepost_webhook ADD COLUMN channels TEXT NOT NULL DEFAULT '';
ALTER TABLE gatepost_webhook ADD COLUMN retry_schedule TEXT NOT NULL DEFAULT '';
-- The webhooks that an occurrence is for, a JSON array of 1 to 100 integers, and its channel; NULL where it is for all, or has none.
ALTER TABLE gatepost_occurrence ADD COLUMN webhooks TEXT;
ALTER TABLE gatepost_occurrence ADD COLUMN channel TEXT;
