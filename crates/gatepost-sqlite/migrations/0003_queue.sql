-- Queue and log are two things. The log is only appended to: what was to be sent, and a row for each token that was used
-- on it. The queue holds what waits, and nothing else; what runs is a row for each batch that was claimed together.

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
INSERT INTO gatepost_log (delivery, token) VALUES (
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'gatepost_delivery'), 0),
    coalesce((SELECT max(number) FROM gatepost_attempt), 0) + 1);

-- Facts: no row is changed, but for the message of one that is not kept. `tenant` is where it was made. The numbers come
-- from gatepost_log, so that none is given out again.
CREATE TABLE gatepost_delivery_3 (
    id           INTEGER PRIMARY KEY,
    webhook      INTEGER NOT NULL,
    task         INTEGER,
    tenant       INTEGER,
    created      INTEGER NOT NULL,
    message_kept INTEGER NOT NULL,
    message_id   TEXT NOT NULL,
    body         TEXT NOT NULL
) STRICT;
INSERT INTO gatepost_delivery_3
    SELECT id, webhook, task, tenant, created, message_kept, message_id, body FROM gatepost_delivery ORDER BY id;

-- `state` is 0 waits again, 1 given back or replayed, 2 sent, 3 error. `attempts` were ever made after it, `tries` since
-- it was enqueued or replayed; `lost` as of the claim. `webhook`, `task` and `tenant` are set where `state` is 3, for the
-- indexes. The rest is the attempt, where one was made.
CREATE TABLE gatepost_outcome (
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
-- Attempts keep their numbers as tokens. The last one of a delivery says what became of it; the others were followed.
INSERT INTO gatepost_outcome
    SELECT a.delivery, a.number, iif(l.last AND d.state >= 2, d.state, 0), a.number,
        iif(l.last, d.attempts, a.number), iif(l.last, d.lost_claims, 0), d.due,
        iif(l.last, d.status_info, a.info),
        iif(l.last AND d.state = 3, d.webhook, NULL), iif(l.last AND d.state = 3, d.task, NULL),
        iif(l.last AND d.state = 3, d.tenant, NULL),
        a.started, a.duration_us, a.dns_us, a.connect_us, a.tls_us, a.first_byte_us, a.class, a.info, a.status, a.remote,
        a.protocol, a.response_head, a.response_body, a.truncated, a.kept
    FROM gatepost_attempt a CROSS JOIN gatepost_delivery d ON d.id = a.delivery
    CROSS JOIN (SELECT 0 AS last UNION ALL SELECT 1) l
    WHERE l.last = (a.number = (SELECT max(n.number) FROM gatepost_attempt n WHERE n.delivery = a.delivery))
    ORDER BY a.delivery, a.number;
-- What has something to say and had no attempt.
INSERT INTO gatepost_outcome (delivery, token, state, attempts, tries, lost, due, status_info, webhook, task, tenant)
    SELECT d.id, 0, iif(d.state >= 2, d.state, 1), d.logged, d.attempts, d.lost_claims, d.due, d.status_info,
        iif(d.state = 3, d.webhook, NULL), iif(d.state = 3, d.task, NULL), iif(d.state = 3, d.tenant, NULL)
    FROM gatepost_delivery d
    WHERE (d.state >= 2 OR d.status_info <> '') AND NOT EXISTS (SELECT 1 FROM gatepost_attempt a WHERE a.delivery = d.id)
    ORDER BY d.id;

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

UPDATE gatepost_log SET bytes =
    (SELECT coalesce(sum(200 + octet_length(body)), 0) FROM gatepost_delivery)
    + (SELECT coalesce(sum(150 + coalesce(length(response_head), 0) + coalesce(length(response_body), 0)), 0) FROM gatepost_outcome);
DROP TABLE gatepost_attempt;
DROP TABLE gatepost_delivery;
ALTER TABLE gatepost_delivery_3 RENAME TO gatepost_delivery;

-- Deliveries by what they are listed by. Indexes of gatepost_delivery would change as many pages with each commit as it
-- has webhooks: these are filled for some thousand deliveries at once, in order. `indexed` in gatepost_log says up to which.
CREATE TABLE gatepost_of_webhook (
    webhook  INTEGER NOT NULL,
    delivery INTEGER NOT NULL,
    PRIMARY KEY (webhook, delivery)
) STRICT, WITHOUT ROWID;
CREATE TABLE gatepost_of_task (
    task     INTEGER NOT NULL,
    delivery INTEGER NOT NULL,
    PRIMARY KEY (task, delivery)
) STRICT, WITHOUT ROWID;
CREATE TABLE gatepost_of_tenant (
    tenant   INTEGER NOT NULL,
    delivery INTEGER NOT NULL,
    PRIMARY KEY (tenant, delivery)
) STRICT, WITHOUT ROWID;
INSERT INTO gatepost_of_webhook SELECT webhook, id FROM gatepost_delivery ORDER BY webhook, id;
INSERT INTO gatepost_of_task SELECT task, id FROM gatepost_delivery WHERE task IS NOT NULL ORDER BY task, id;
INSERT INTO gatepost_of_tenant SELECT tenant, id FROM gatepost_delivery WHERE tenant IS NOT NULL ORDER BY tenant, id;
UPDATE gatepost_log SET indexed = delivery;
CREATE INDEX gatepost_error ON gatepost_outcome (delivery) WHERE state = 3;
CREATE INDEX gatepost_error_of_webhook ON gatepost_outcome (webhook, delivery) WHERE state = 3;
CREATE INDEX gatepost_error_of_task ON gatepost_outcome (task, delivery) WHERE state = 3 AND task IS NOT NULL;
CREATE INDEX gatepost_error_of_tenant ON gatepost_outcome (tenant, delivery) WHERE state = 3 AND tenant IS NOT NULL;

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
