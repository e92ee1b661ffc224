-- Queue and log are two things. The log is only appended to: what was to be sent, and a row for each token that was used
-- on it. The queue holds what waits, and nothing else; what runs is a row for each batch that was claimed together.
--
-- This step has four parts: the tables of the log, what is left to copy, the copy, all else. A log that is there is copied
-- ahead of it, by the first and the third part, in bites between which a version before reads and writes as ever. What it
-- changes meanwhile is noted, and copied once more.

-- Facts: no row is changed, but for the message of one that is not kept. `tenant` is where it was made. The numbers come
-- from gatepost_log, so that none is given out again.
CREATE TABLE IF NOT EXISTS gatepost_delivery_3 (
    id           INTEGER PRIMARY KEY,
    webhook      INTEGER NOT NULL,
    task         INTEGER,
    tenant       INTEGER,
    created      INTEGER NOT NULL,
    message_kept INTEGER NOT NULL,
    message_id   TEXT NOT NULL,
    body         TEXT NOT NULL
) STRICT;

-- `state` is 0 waits again, 1 given back or replayed, 2 sent, 3 error. `attempts` were ever made after it, `tries` since
-- it was enqueued or replayed; `lost` as of the claim. `webhook`, `task` and `tenant` are set where `state` is 3, for the
-- indexes. The rest is the attempt, where one was made.
CREATE TABLE IF NOT EXISTS gatepost_outcome (
    delivery      INTEGER NOT NULL,
    token         INTEGER NOT NULL,
    state         INTEGER NOT NULL,
    attempts      INTEGER NOT NULL,
    tries         INTEGER NOT NULL,
    lost          INTEGER NOT NULL,
    due           INTEGER NOT NULL,
    status_info   TEXT NOT NULL,
    webhook       INTEGER,
    task          INTEGER,
    tenant        INTEGER,
    started       INTEGER,
    duration_us   INTEGER,
    dns_us        INTEGER,
    connect_us    INTEGER,
    tls_us        INTEGER,
    first_byte_us INTEGER,
    class         TEXT,
    info          TEXT,
    status        INTEGER,
    remote        TEXT,
    protocol      TEXT,
    response_head BLOB,
    response_body BLOB,
    truncated     INTEGER,
    kept          INTEGER,
    PRIMARY KEY (delivery, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS gatepost_error ON gatepost_outcome (delivery) WHERE state = 3;
CREATE INDEX IF NOT EXISTS gatepost_error_of_webhook ON gatepost_outcome (webhook, delivery) WHERE state = 3;
CREATE INDEX IF NOT EXISTS gatepost_error_of_task ON gatepost_outcome (task, delivery) WHERE state = 3 AND task IS NOT NULL;
CREATE INDEX IF NOT EXISTS gatepost_error_of_tenant ON gatepost_outcome (tenant, delivery) WHERE state = 3 AND tenant IS NOT NULL;

-- Deliveries by what they are listed by. Indexes of gatepost_delivery would change as many pages with each commit as it
-- has webhooks: these are filled for some thousand deliveries at once, in order. `indexed` in gatepost_log says up to which.
CREATE TABLE IF NOT EXISTS gatepost_of_webhook (
    webhook  INTEGER NOT NULL,
    delivery INTEGER NOT NULL,
    PRIMARY KEY (webhook, delivery)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS gatepost_of_task (
    task     INTEGER NOT NULL,
    delivery INTEGER NOT NULL,
    PRIMARY KEY (task, delivery)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS gatepost_of_tenant (
    tenant   INTEGER NOT NULL,
    delivery INTEGER NOT NULL,
    PRIMARY KEY (tenant, delivery)
) STRICT, WITHOUT ROWID;

-- Of the copy, until this step is done. What is copied next:
CREATE TABLE IF NOT EXISTS gatepost_bite (id INTEGER PRIMARY KEY) STRICT;
-- What became of it, in one row: `bytes` and the greatest `token`, for gatepost_log.
CREATE TABLE IF NOT EXISTS gatepost_copied (
    bytes INTEGER NOT NULL,
    token INTEGER NOT NULL
) STRICT;
INSERT INTO gatepost_copied SELECT 0, 0 WHERE NOT EXISTS (SELECT 1 FROM gatepost_copied);
-- Deliveries that changed since the copy began. (No `OR IGNORE`: what a statement itself says of conflicts would win.)
CREATE TABLE IF NOT EXISTS gatepost_changed (id INTEGER PRIMARY KEY) STRICT;
CREATE TRIGGER IF NOT EXISTS gatepost_delivery_changes AFTER UPDATE ON gatepost_delivery BEGIN
    INSERT INTO gatepost_changed SELECT OLD.id WHERE NOT EXISTS (SELECT 1 FROM gatepost_changed WHERE id = OLD.id);
END;
CREATE TRIGGER IF NOT EXISTS gatepost_delivery_goes AFTER DELETE ON gatepost_delivery BEGIN
    INSERT INTO gatepost_changed SELECT OLD.id WHERE NOT EXISTS (SELECT 1 FROM gatepost_changed WHERE id = OLD.id);
END;
CREATE TRIGGER IF NOT EXISTS gatepost_attempt_comes AFTER INSERT ON gatepost_attempt BEGIN
    INSERT INTO gatepost_changed SELECT NEW.delivery WHERE NOT EXISTS (SELECT 1 FROM gatepost_changed WHERE id = NEW.delivery);
END;
CREATE TRIGGER IF NOT EXISTS gatepost_attempt_changes AFTER UPDATE ON gatepost_attempt BEGIN
    INSERT INTO gatepost_changed SELECT OLD.delivery WHERE NOT EXISTS (SELECT 1 FROM gatepost_changed WHERE id = OLD.delivery);
END;
CREATE TRIGGER IF NOT EXISTS gatepost_attempt_goes AFTER DELETE ON gatepost_attempt BEGIN
    INSERT INTO gatepost_changed SELECT OLD.delivery WHERE NOT EXISTS (SELECT 1 FROM gatepost_changed WHERE id = OLD.delivery);
END;
