-- Whether somebody else than the owner disabled a key: its owner cannot enable it again. Of keys of before nobody knows. No row is
-- written again.
ALTER TABLE gatepost_key ADD COLUMN locked INTEGER NOT NULL DEFAULT 0;
