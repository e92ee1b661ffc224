-- One row. `delivery`, `token`: the numbers given last. `arrived` counts commits after which other processes should look
-- at what is due, `stirred` those after which they should look at every lane. `bytes`: what the log takes, about. `indexed`: see gatepost_of_webhook.
-- Retention: ended deliveries created before `created_before` are not shown; `walked`: up to this delivery everything that
-- had ended was removed; `shown`: how many ended deliveries of a webhook are shown; `pass` counts its rounds. `outbox_turn` counts audiences that
-- were taken from the outbox.
CREATE TABLE gatepost_log (
    delivery       INTEGER NOT NULL,
    token          INTEGER NOT NULL,
    arrived        INTEGER NOT NULL DEFAULT 0,
    stirred        INTEGER NOT NULL DEFAULT 0,
    bytes          INTEGER NOT NULL DEFAULT 0,
    indexed        INTEGER NOT NULL DEFAULT 0,
    created_before INTEGER NOT NULL DEFAULT -9223372036854775808,
    walked         INTEGER NOT NULL DEFAULT 0,
    shown          INTEGER NOT NULL DEFAULT 0,
    pass           INTEGER NOT NULL DEFAULT 0,
    outbox_turn    INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO gatepost_log (delivery, token, bytes, indexed)
    SELECT last, token + 1, bytes, last FROM gatepost_copied
    CROSS JOIN (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'gatepost_delivery'), 0) AS last);

-- What waits. No row is changed: it goes when it is claimed, and comes again. `class` is 0 before the first attempt, 1
-- after it, 2 after a lost claim.
CREATE TABLE gatepost_queue (
    id       INTEGER PRIMARY KEY,
    webhook  INTEGER NOT NULL,
    class    INTEGER NOT NULL,
    due      INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    tries    INTEGER NOT NULL,
    lost     INTEGER NOT NULL
) STRICT;
-- What was running is taken back when its lease ends: from then on it waits, to be claimed alone.
INSERT INTO gatepost_queue
    SELECT id, webhook, iif(state = 1, 2, class), iif(state = 1, coalesce(lease_until, due), due), logged, attempts,
        lost_claims + (state = 1 AND class = 2)
    FROM gatepost_delivery WHERE state < 2 ORDER BY id;
CREATE INDEX gatepost_queue_lane ON gatepost_queue (webhook, class, due);
CREATE INDEX gatepost_queue_due ON gatepost_queue (due);
CREATE INDEX gatepost_queue_of_webhook ON gatepost_queue (webhook);

-- What runs: a row for each batch, gone when nothing of it is open. `token` is the proof of its claims; `webhook` is that
-- of the one delivery of a webhook in order; `members` as the backend writes them, those that were settled too.
CREATE TABLE gatepost_running (
    token       INTEGER PRIMARY KEY,
    lease_until INTEGER NOT NULL,
    open        INTEGER NOT NULL,
    webhook     INTEGER,
    members     BLOB NOT NULL
) STRICT;
CREATE INDEX gatepost_running_ends ON gatepost_running (lease_until);
CREATE INDEX gatepost_running_in_order ON gatepost_running (webhook) WHERE webhook IS NOT NULL;

DROP TABLE gatepost_attempt;
DROP TABLE gatepost_delivery;
DROP TABLE gatepost_bite;
DROP TABLE gatepost_copied;
DROP TABLE gatepost_changed;
ALTER TABLE gatepost_delivery_3 RENAME TO gatepost_delivery;

-- `floor`: ended deliveries up to this one are not shown. `ordered_to`: of a webhook that has just become one in order,
-- the token given last before: of those tokens nothing may run any more when its head is claimed. Nothing runs now.
ALTER TABLE gatepost_webhook ADD COLUMN floor INTEGER NOT NULL DEFAULT 0;
UPDATE gatepost_webhook SET ordered_to = NULL WHERE ordered_to IS NOT NULL;
CREATE INDEX gatepost_webhook_inactive ON gatepost_webhook (id) WHERE activity <> 'active';

-- Webhooks of which something has ended since retention looked at them, in its round `pass`.
CREATE TABLE gatepost_ended (
    webhook INTEGER PRIMARY KEY,
    pass    INTEGER NOT NULL
) STRICT;
INSERT INTO gatepost_ended SELECT id, 0 FROM gatepost_webhook;
-- Deliveries up to `walked` that ended after that was passed.
CREATE TABLE gatepost_left_behind (delivery INTEGER PRIMARY KEY) STRICT;

-- What became of each webhook's deliveries, by the beginning of the hour.
CREATE TABLE gatepost_count (
    webhook      INTEGER NOT NULL,
    hour         INTEGER NOT NULL,
    owner        INTEGER NOT NULL,
    sent         INTEGER NOT NULL,
    failed       INTEGER NOT NULL,
    retried      INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL,
    bytes        INTEGER NOT NULL,
    PRIMARY KEY (webhook, hour)
) STRICT, WITHOUT ROWID;
CREATE INDEX gatepost_count_at ON gatepost_count (hour, webhook);
CREATE INDEX gatepost_count_of_owner ON gatepost_count (owner, hour);

-- The figures of the queue, as they were counted last: one row, or none yet.
CREATE TABLE gatepost_figures (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    counted    INTEGER NOT NULL,
    queued     INTEGER NOT NULL,
    running    INTEGER NOT NULL,
    oldest_due INTEGER,
    outbox     INTEGER NOT NULL
) STRICT;

-- The outbox: audiences that have rows, or had. `due`: when to look at them again, NULL for at once, the greatest number
-- for when there are rows again; while a process has one, when the others may. `turn`: when it was taken last, as a
-- number drawn from gatepost_log. Triggers, because the platform writes rows with its own statements.
CREATE TABLE gatepost_outbox_turn (
    tenant INTEGER NOT NULL,
    owner  INTEGER NOT NULL,
    due    INTEGER,
    turn   INTEGER NOT NULL,
    holder BLOB,
    PRIMARY KEY (tenant, owner)
) STRICT, WITHOUT ROWID;
CREATE INDEX gatepost_outbox_turn_ready ON gatepost_outbox_turn (turn) WHERE due IS NULL;
CREATE INDEX gatepost_outbox_turn_later ON gatepost_outbox_turn (due) WHERE due IS NOT NULL;
CREATE INDEX gatepost_outbox_turn_held ON gatepost_outbox_turn (holder, turn) WHERE holder IS NOT NULL;
INSERT INTO gatepost_outbox_turn
    SELECT DISTINCT ifnull(tenant, 0), ifnull(owner, 0), NULL, 0, NULL FROM gatepost_occurrence WHERE rejected IS NULL;
CREATE TRIGGER gatepost_occurrence_comes AFTER INSERT ON gatepost_occurrence WHEN NEW.rejected IS NULL BEGIN
    INSERT INTO gatepost_outbox_turn (tenant, owner, due, turn)
    VALUES (ifnull(NEW.tenant, 0), ifnull(NEW.owner, 0), NEW.due, 0)
    ON CONFLICT (tenant, owner) DO UPDATE SET due = excluded.due
    WHERE holder IS NULL AND due IS NOT NULL AND (excluded.due IS NULL OR excluded.due < due);
END;
CREATE TRIGGER gatepost_occurrence_changes AFTER UPDATE OF rejected, tenant, owner, due ON gatepost_occurrence
WHEN NEW.rejected IS NULL BEGIN
    INSERT INTO gatepost_outbox_turn (tenant, owner, due, turn)
    VALUES (ifnull(NEW.tenant, 0), ifnull(NEW.owner, 0), NEW.due, 0)
    ON CONFLICT (tenant, owner) DO UPDATE SET due = excluded.due
    WHERE holder IS NULL AND due IS NOT NULL AND (excluded.due IS NULL OR excluded.due < due);
END;
DROP INDEX gatepost_occurrence_waiting;
DROP INDEX gatepost_occurrence_due;
DROP INDEX gatepost_occurrence_turns;
CREATE INDEX gatepost_occurrence_turns ON gatepost_occurrence (ifnull(tenant, 0), ifnull(owner, 0), due, id) WHERE rejected IS NULL;
