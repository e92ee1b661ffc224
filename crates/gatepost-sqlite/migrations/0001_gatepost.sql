-- All tables of Gatepost. Times are microseconds since 1970 (UTC), durations microseconds. Booleans
-- are 0 and 1. Owners, other users and tenants are 16 bytes, the most significant first. `bytes` of
-- a record is its size in a quota.

-- Owners ---------------------------------------------------------------------------------------
-- A row for each user who has or had records. `place`: the realm in its text form. `placed`: the
-- platform set it, or suspended the owner. `unplaced`: has or had a key or a webhook, and the
-- platform has not assigned a realm yet.
-- `gone`: removed, and not assigned again; keys up to `gone_keys` and webhooks up to
-- `gone_webhooks` must still be removed. `moved`: deliveries up to this one were made in another
-- realm, and must be ended if they wait. `unfinished`: one of these three is not 0.
-- The seven columns from `webhooks` on are the usage: exact for records, approximate for queue and
-- log. `hidden_to`: ended deliveries up to this one are beyond the owner's share, are not shown,
-- and must be removed; 0: none.
CREATE TABLE gatepost_owner (
    owner         BLOB PRIMARY KEY,
    place         TEXT NOT NULL DEFAULT 'common',
    placed        INTEGER NOT NULL DEFAULT 0,
    unplaced      INTEGER NOT NULL DEFAULT 0,
    held          INTEGER NOT NULL DEFAULT 0,
    gone          INTEGER NOT NULL DEFAULT 0,
    gone_keys     INTEGER NOT NULL DEFAULT 0,
    gone_webhooks INTEGER NOT NULL DEFAULT 0,
    moved         INTEGER NOT NULL DEFAULT 0,
    unfinished    INTEGER NOT NULL DEFAULT 0,
    webhooks      INTEGER NOT NULL DEFAULT 0,
    tasks         INTEGER NOT NULL DEFAULT 0,
    events        INTEGER NOT NULL DEFAULT 0,
    bytes         INTEGER NOT NULL DEFAULT 0,
    waiting       INTEGER NOT NULL DEFAULT 0,
    waiting_bytes INTEGER NOT NULL DEFAULT 0,
    log_bytes     INTEGER NOT NULL DEFAULT 0,
    hidden_to     INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX gatepost_owner_hidden ON gatepost_owner (owner) WHERE hidden_to > 0;
CREATE INDEX gatepost_owner_of_place ON gatepost_owner (place);
CREATE INDEX gatepost_owner_held ON gatepost_owner (owner) WHERE held = 1;
CREATE INDEX gatepost_owner_unplaced ON gatepost_owner (owner) WHERE unplaced = 1;
CREATE INDEX gatepost_owner_unfinished ON gatepost_owner (owner) WHERE unfinished = 1;

-- Realms. `version` is drawn from gatepost_routes; `changes` counts the realm's changes;
-- gatepost_route_change has all of them after version `started`.
CREATE TABLE gatepost_place (
    place   TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    changes INTEGER NOT NULL DEFAULT 0,
    started INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO gatepost_place (place, version) VALUES ('common', 0);

-- The records of each change of a realm. `kind` is 0 webhook, 1 task, 2 event, 3 an owner with all
-- records, 4 a task with its events. `record` is a row number, or the owner. Older rows are
-- trimmed.
CREATE TABLE gatepost_route_change (
    place   TEXT NOT NULL,
    change  INTEGER NOT NULL,
    version INTEGER NOT NULL,
    kind    INTEGER NOT NULL,
    record  ANY NOT NULL,
    PRIMARY KEY (place, change, kind, record)
) STRICT, WITHOUT ROWID;

-- One row: counts changes of webhooks, tasks and events, in the transaction of each change.
CREATE TABLE gatepost_routes (version INTEGER NOT NULL) STRICT;
INSERT INTO gatepost_routes VALUES (0);

-- Work that only one process does at a time.
CREATE TABLE gatepost_lease (
    name   TEXT PRIMARY KEY,
    holder BLOB NOT NULL,
    until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Users who opened the console by a link, and the links: by the digest of the secret.
CREATE TABLE gatepost_session (
    digest BLOB PRIMARY KEY,
    owner  BLOB NOT NULL,
    name   TEXT NOT NULL,
    opened INTEGER NOT NULL,
    until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX gatepost_session_of_owner ON gatepost_session (owner, opened);
CREATE INDEX gatepost_session_by_end ON gatepost_session (until);

-- API keys -------------------------------------------------------------------------------------
-- `enabled`: the key is accepted. `locked`: another user than the owner disabled it, and the owner
-- cannot enable it again.
-- The key's permissions within those of its user: with `read_only` only reads; only the `tables`
-- and `scopes` that are named, joined by commas; '' names none, and the key may do everything.
-- `requests_per_minute` is the key's own limit, or NULL. `rolled_from` is the key that it replaced,
-- `rolled_to` the one that replaced it.
CREATE TABLE gatepost_key (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    revision            INTEGER NOT NULL,
    owner               BLOB NOT NULL,
    lookup              TEXT NOT NULL UNIQUE,
    masked                TEXT NOT NULL,
    digest_scheme       TEXT NOT NULL,
    digest              BLOB NOT NULL,
    name                TEXT NOT NULL,
    description         TEXT NOT NULL,
    expires             INTEGER,
    ip_allow            TEXT NOT NULL,
    ip_deny             TEXT NOT NULL,
    created             INTEGER NOT NULL,
    last_login          INTEGER,
    last_login_from     TEXT,
    enabled             INTEGER NOT NULL DEFAULT 1,
    locked              INTEGER NOT NULL DEFAULT 0,
    read_only           INTEGER NOT NULL DEFAULT 0,
    tables              TEXT NOT NULL DEFAULT '',
    scopes              TEXT NOT NULL DEFAULT '',
    requests_per_minute INTEGER,
    rolled_from         INTEGER,
    rolled_to           INTEGER,
    UNIQUE (owner, name)
) STRICT;
CREATE INDEX gatepost_key_of_owner ON gatepost_key (owner);
CREATE INDEX gatepost_key_of_name ON gatepost_key (name);
CREATE INDEX gatepost_key_expires ON gatepost_key (expires, id) WHERE expires IS NOT NULL;

-- The daily uses of each key: `day` counts from 1970, in UTC.
CREATE TABLE gatepost_key_use (
    key     INTEGER NOT NULL REFERENCES gatepost_key (id) ON DELETE CASCADE,
    day     INTEGER NOT NULL,
    used    INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    PRIMARY KEY (key, day)
) STRICT, WITHOUT ROWID;

-- One row: counts edits and deletions of keys.
CREATE TABLE gatepost_key_generation (generation INTEGER NOT NULL) STRICT;
INSERT INTO gatepost_key_generation VALUES (0);

-- Keys are in 256 shards by their lookup id. `generation` is that of the shard's last change, drawn
-- from gatepost_key_generation; gatepost_key_change has all changes after `forgotten`.
CREATE TABLE gatepost_key_shard (
    shard      INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL,
    forgotten  INTEGER NOT NULL
) STRICT;
INSERT INTO gatepost_key_shard
    WITH RECURSIVE shards (shard) AS (SELECT 0 UNION ALL SELECT shard + 1 FROM shards WHERE shard < 255)
    SELECT shard, 0, 0 FROM shards;

-- The key that each generation of a shard changed. Older rows are trimmed.
CREATE TABLE gatepost_key_change (
    shard      INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    lookup     TEXT NOT NULL,
    PRIMARY KEY (shard, generation)
) STRICT, WITHOUT ROWID;

-- Records --------------------------------------------------------------------------------------
-- `url`, `authorization_data`, `headers`, `signing` and `client_identity` (a certificate with its
-- private key) are sealed if there is a sealing key. `channels`: the webhook receives the
-- occurrences in these, joined by commas; '' names none, and it receives all.
-- `retry_schedule`: its own delays between attempts, in seconds, joined by commas; '' is the
-- platform's. `gone`: deleted, and must still be removed.
-- `ordered_to`: for a webhook that has just been switched to delivery in order, the last token
-- before the switch; its first delivery is claimed when nothing of those tokens runs, and this is
-- NULL.
CREATE TABLE gatepost_webhook (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    revision           INTEGER NOT NULL,
    created            INTEGER NOT NULL,
    modified           INTEGER NOT NULL,
    owner              BLOB NOT NULL,
    name               TEXT NOT NULL,
    url                BLOB NOT NULL,
    credentials        BLOB NOT NULL,
    headers            BLOB NOT NULL,
    allow_insecure     INTEGER NOT NULL,
    timeout_s          INTEGER NOT NULL,
    retries            INTEGER NOT NULL,
    retry_schedule     TEXT,
    activity           TEXT NOT NULL,
    in_order           INTEGER NOT NULL,
    signing            BLOB NOT NULL,
    client_identity    BLOB,
    rate               INTEGER,
    channels           TEXT NOT NULL,
    bytes              INTEGER NOT NULL,
    gone               INTEGER NOT NULL DEFAULT 0,
    ordered_to         INTEGER
) STRICT;
CREATE UNIQUE INDEX gatepost_webhook_name ON gatepost_webhook (name, owner) WHERE gone = 0;
CREATE INDEX gatepost_webhook_of_owner ON gatepost_webhook (owner);
CREATE INDEX gatepost_webhook_gone ON gatepost_webhook (id) WHERE gone = 1;
CREATE INDEX gatepost_webhook_ordering ON gatepost_webhook (id) WHERE ordered_to IS NOT NULL;
CREATE INDEX gatepost_webhook_inactive ON gatepost_webhook (id) WHERE activity <> 'active';

-- `owner` is the webhook's. `gone` as for a webhook.
CREATE TABLE gatepost_task (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    revision         INTEGER NOT NULL,
    created          INTEGER NOT NULL,
    modified         INTEGER NOT NULL,
    owner            BLOB NOT NULL,
    creator          BLOB NOT NULL,
    name             TEXT NOT NULL,
    description      TEXT NOT NULL,
    enabled          INTEGER NOT NULL,
    delete_after_run INTEGER NOT NULL,
    webhook          INTEGER NOT NULL REFERENCES gatepost_webhook,
    message          TEXT NOT NULL,
    bytes            INTEGER NOT NULL,
    gone             INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX gatepost_task_of_webhook ON gatepost_task (webhook);
CREATE INDEX gatepost_task_of_creator ON gatepost_task (creator);
CREATE INDEX gatepost_task_of_owner ON gatepost_task (owner);
CREATE INDEX gatepost_task_of_name ON gatepost_task (name);
CREATE INDEX gatepost_task_gone ON gatepost_task (id) WHERE gone = 1;

-- `owner` is the task's. `label` is the user's name for it; '' if the platform's own label is used.
CREATE TABLE gatepost_event (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    revision   INTEGER NOT NULL,
    created    INTEGER NOT NULL,
    modified   INTEGER NOT NULL,
    owner      BLOB NOT NULL,
    event_type TEXT NOT NULL,
    event      TEXT NOT NULL,
    label      TEXT NOT NULL DEFAULT '',
    target     TEXT NOT NULL,
    task       INTEGER NOT NULL REFERENCES gatepost_task ON DELETE CASCADE,
    enabled    INTEGER NOT NULL,
    filters    TEXT NOT NULL,
    context    TEXT NOT NULL,
    bytes      INTEGER NOT NULL
) STRICT;
CREATE INDEX gatepost_event_of_task ON gatepost_event (task);
CREATE INDEX gatepost_event_of_owner ON gatepost_event (owner);
CREATE INDEX gatepost_event_of_type ON gatepost_event (event_type, event, owner);

-- Webhooks and tasks that are not deleted and whose owner is not removed: no others are visible.
CREATE VIEW gatepost_live_webhook AS
    SELECT w.id, w.owner, w.revision, w.activity, w.in_order, w.ordered_to, o.place, o.held, o.moved
    FROM gatepost_webhook w JOIN gatepost_owner o ON o.owner = w.owner
    WHERE w.gone = 0 AND w.id > o.gone_webhooks;
CREATE VIEW gatepost_live_task AS
    SELECT t.id, t.owner, t.revision, t.enabled, t.webhook, w.place, w.held, w.moved
    FROM gatepost_task t JOIN gatepost_live_webhook w ON w.id = t.webhook
    WHERE t.gone = 0;
-- The others, once each: few, and found without reading the rest.
CREATE VIEW gatepost_gone_webhook AS
    SELECT id FROM gatepost_webhook WHERE gone = 1
    UNION
    SELECT w.id FROM gatepost_owner o CROSS JOIN gatepost_webhook w ON w.owner = o.owner
    WHERE o.unfinished = 1 AND w.id <= o.gone_webhooks;

-- Delivery log ---------------------------------------------------------------------------------
-- Queue and log are separate. The log is only appended to: a row for each delivery, and one for
-- each token that was used on it.

-- One row. `delivery`, `token`: the numbers assigned last. `arrived` counts commits after which
-- other processes should check for due deliveries, `stirred` those after which they should check
-- every queue. `bytes`: the approximate size of the log.
-- `indexed`: see gatepost_of_webhook. Retention: ended deliveries created before `created_before`
-- are not shown; up to delivery `walked` all that had ended were removed. `outbox_turn` counts
-- audiences that were taken from the outbox.
CREATE TABLE gatepost_log (
    delivery       INTEGER NOT NULL,
    token          INTEGER NOT NULL,
    arrived        INTEGER NOT NULL DEFAULT 0,
    stirred        INTEGER NOT NULL DEFAULT 0,
    bytes          INTEGER NOT NULL DEFAULT 0,
    indexed        INTEGER NOT NULL DEFAULT 0,
    created_before INTEGER NOT NULL DEFAULT -9223372036854775808,
    walked         INTEGER NOT NULL DEFAULT 0,
    outbox_turn    INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO gatepost_log (delivery, token) VALUES (0, 1);

-- Facts: no row is changed, except for a message that is not kept. `tenant` is that of its origin.
-- `cause` is the cause in its text form; NULL for a message sent manually. Row numbers come from
-- gatepost_log, so that none is assigned again.
CREATE TABLE gatepost_delivery (
    id           INTEGER PRIMARY KEY,
    webhook      INTEGER NOT NULL,
    task         INTEGER,
    tenant       BLOB,
    created      INTEGER NOT NULL,
    message_kept INTEGER NOT NULL,
    message_id   TEXT NOT NULL,
    cause        TEXT,
    body         TEXT NOT NULL
) STRICT;

-- `state` is 0 waits again, 1 given back or replayed, 2 sent, 3 error. `attempts` are the total
-- after it, `tries` those since it was enqueued or replayed; `lost` as at the claim. `webhook`,
-- `task` and `tenant` are set if `state` is 3, for the indexes.
-- The rest is the attempt, if one was made: `kept_bytes` is the size of request and response in
-- `detail`, which is sealed if there is a key, and NULL if the receiver fetched the delivery.
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
    tenant        BLOB,
    started       INTEGER,
    duration_us   INTEGER,
    class         TEXT,
    status        INTEGER,
    kept_bytes    INTEGER,
    detail        BLOB,
    PRIMARY KEY (delivery, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX gatepost_error ON gatepost_outcome (delivery) WHERE state = 3;
CREATE INDEX gatepost_error_of_webhook ON gatepost_outcome (webhook, delivery) WHERE state = 3;
CREATE INDEX gatepost_error_of_task ON gatepost_outcome (task, delivery) WHERE state = 3 AND task IS NOT NULL;
CREATE INDEX gatepost_error_of_tenant ON gatepost_outcome (tenant, delivery) WHERE state = 3 AND tenant IS NOT NULL;

-- Deliveries by the columns of lists. Indexes of gatepost_delivery would change as many pages with
-- each commit as it has webhooks: these tables are filled for several thousand deliveries at a
-- time, in order, up to `indexed` in gatepost_log.
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
    tenant   BLOB NOT NULL,
    delivery INTEGER NOT NULL,
    PRIMARY KEY (tenant, delivery)
) STRICT, WITHOUT ROWID;

-- Deliveries up to `walked` that ended after retention had passed them.
CREATE TABLE gatepost_left_behind (delivery INTEGER PRIMARY KEY) STRICT;

-- The results of each webhook's deliveries, by the beginning of the hour.
CREATE TABLE gatepost_count (
    webhook      INTEGER NOT NULL,
    hour         INTEGER NOT NULL,
    owner        BLOB NOT NULL,
    sent         INTEGER NOT NULL,
    failed       INTEGER NOT NULL,
    retried      INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL,
    bytes        INTEGER NOT NULL,
    last_sent    INTEGER,
    PRIMARY KEY (webhook, hour)
) STRICT, WITHOUT ROWID;
CREATE INDEX gatepost_count_at ON gatepost_count (hour, webhook);
CREATE INDEX gatepost_count_of_owner ON gatepost_count (owner, hour);

-- Deliveries that were rejected, and counted instead of stored. `minute` is its beginning.
CREATE TABLE gatepost_rejected (
    webhook INTEGER NOT NULL,
    reason  TEXT NOT NULL,
    minute  INTEGER NOT NULL,
    owner   BLOB NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (webhook, reason, minute)
) STRICT, WITHOUT ROWID;
CREATE INDEX gatepost_rejected_of_owner ON gatepost_rejected (owner, minute);
CREATE INDEX gatepost_rejected_at ON gatepost_rejected (minute);

-- Queue ----------------------------------------------------------------------------------------
-- Waiting deliveries. No row is changed: it is deleted when it is claimed, and inserted again.
-- `class` is 0 before the first attempt, 1 after it, 2 after a lost claim: such a delivery is
-- claimed separately.
CREATE TABLE gatepost_queue (
    id       INTEGER PRIMARY KEY,
    webhook  INTEGER NOT NULL,
    class    INTEGER NOT NULL,
    due      INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    tries    INTEGER NOT NULL,
    lost     INTEGER NOT NULL
) STRICT;
CREATE INDEX gatepost_queue_class ON gatepost_queue (webhook, class, due);
CREATE INDEX gatepost_queue_due ON gatepost_queue (due);
CREATE INDEX gatepost_queue_of_webhook ON gatepost_queue (webhook);

-- Running deliveries: a row for each batch that was claimed together, deleted when none of it is
-- open. `token` is the token of its claims; `webhook` is that of the one delivery of a webhook in
-- order; `members` in the format of the backend, including settled ones.
CREATE TABLE gatepost_running (
    token       INTEGER PRIMARY KEY,
    lease_until INTEGER NOT NULL,
    open        INTEGER NOT NULL,
    webhook     INTEGER,
    members     BLOB NOT NULL
) STRICT;
CREATE INDEX gatepost_running_ends ON gatepost_running (lease_until);
CREATE INDEX gatepost_running_in_order ON gatepost_running (webhook) WHERE webhook IS NOT NULL;

-- The statistics of the queue at the last count: one row, or none yet.
CREATE TABLE gatepost_figures (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    counted    INTEGER NOT NULL,
    queued     INTEGER NOT NULL,
    running    INTEGER NOT NULL,
    oldest_due INTEGER,
    outbox     INTEGER NOT NULL
) STRICT;

-- Ids of occurrences that were fanned out already, unique within their realm.
CREATE TABLE gatepost_seen (
    place  TEXT NOT NULL,
    id     TEXT NOT NULL,
    stored INTEGER NOT NULL,
    PRIMARY KEY (place, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX gatepost_seen_stored ON gatepost_seen (stored);

-- Outbox ---------------------------------------------------------------------------------------
-- Platforms insert here in their own transactions; README, "The outbox", explains each column.
-- `after_task` and `tasks` are the engine's progress with a row; `due` is NULL until it delays the
-- row; `turn` counts both.
-- `tenant`, `owner` and `run_by` are integers or UUIDs as texts; `turn_tenant` and `turn_owner` are
-- the same as 16 bytes, in whatever spelling, and 0 if they are NULL or no id.
CREATE TABLE gatepost_occurrence (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    event_type    TEXT NOT NULL,
    event         TEXT NOT NULL,
    object_id     TEXT,
    object_name   TEXT,
    tags          TEXT NOT NULL DEFAULT '[]',
    variables     TEXT NOT NULL DEFAULT '{}',
    data          TEXT,
    webhooks      TEXT,
    channel       TEXT,
    occurrence_id TEXT,
    tenant        TEXT,
    owner         TEXT,
    operators     INTEGER NOT NULL DEFAULT 0,
    trace         TEXT,
    run_by        TEXT,
    created       INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    rejected      TEXT,
    after_task    INTEGER NOT NULL DEFAULT 0,
    tasks         TEXT,
    due           INTEGER,
    turn          INTEGER NOT NULL DEFAULT 0,
    turn_tenant   BLOB AS (CASE
        WHEN tenant GLOB '????????-????-????-????-????????????' AND length(unhex(tenant, '-')) = 16
            THEN unhex(tenant, '-')
        WHEN CAST(tenant AS INTEGER) > 0 AND CAST(CAST(tenant AS INTEGER) AS TEXT) = ltrim(tenant, '0')
            THEN unhex(printf('%032x', CAST(tenant AS INTEGER)))
        ELSE zeroblob(16) END),
    turn_owner    BLOB AS (CASE
        WHEN owner GLOB '????????-????-????-????-????????????' AND length(unhex(owner, '-')) = 16
            THEN unhex(owner, '-')
        WHEN CAST(owner AS INTEGER) > 0 AND CAST(CAST(owner AS INTEGER) AS TEXT) = ltrim(owner, '0')
            THEN unhex(printf('%032x', CAST(owner AS INTEGER)))
        ELSE zeroblob(16) END)
) STRICT;
CREATE INDEX gatepost_occurrence_turns ON gatepost_occurrence (turn_tenant, turn_owner, due, id) WHERE rejected IS NULL;
CREATE INDEX gatepost_occurrence_open ON gatepost_occurrence (turn_tenant, turn_owner, id) WHERE rejected IS NULL;

-- Audiences that have or had rows. `due`: when to check them again, NULL for immediately, the
-- greatest number for when there are rows again; while a process holds one, the time from which
-- others may take it. `turn`: when it was taken last, as a number drawn from gatepost_log.
CREATE TABLE gatepost_outbox_turn (
    tenant BLOB NOT NULL,
    owner  BLOB NOT NULL,
    due    INTEGER,
    turn   INTEGER NOT NULL,
    holder BLOB,
    PRIMARY KEY (tenant, owner)
) STRICT, WITHOUT ROWID;
CREATE INDEX gatepost_outbox_turn_ready ON gatepost_outbox_turn (turn) WHERE due IS NULL;
CREATE INDEX gatepost_outbox_turn_later ON gatepost_outbox_turn (due) WHERE due IS NOT NULL;
CREATE INDEX gatepost_outbox_turn_held ON gatepost_outbox_turn (holder, turn) WHERE holder IS NOT NULL;

-- Triggers, because platforms write rows with their own statements.
CREATE TRIGGER gatepost_occurrence_comes AFTER INSERT ON gatepost_occurrence WHEN NEW.rejected IS NULL BEGIN
    INSERT INTO gatepost_outbox_turn (tenant, owner, due, turn)
    VALUES (NEW.turn_tenant, NEW.turn_owner, NEW.due, 0)
    ON CONFLICT (tenant, owner) DO UPDATE SET due = excluded.due
    WHERE holder IS NULL AND due IS NOT NULL AND (excluded.due IS NULL OR excluded.due < due);
END;
CREATE TRIGGER gatepost_occurrence_changes AFTER UPDATE OF rejected, tenant, owner, due ON gatepost_occurrence
WHEN NEW.rejected IS NULL BEGIN
    INSERT INTO gatepost_outbox_turn (tenant, owner, due, turn)
    VALUES (NEW.turn_tenant, NEW.turn_owner, NEW.due, 0)
    ON CONFLICT (tenant, owner) DO UPDATE SET due = excluded.due
    WHERE holder IS NULL AND due IS NOT NULL AND (excluded.due IS NULL OR excluded.due < due);
END;

-- Audit log ------------------------------------------------------------------------------------
-- The changes of records. It references no record: entries outlive their records.
CREATE TABLE gatepost_audit (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    at           INTEGER NOT NULL,
    owner        BLOB NOT NULL,
    tenant       BLOB,
    actor        BLOB NOT NULL,
    key          INTEGER,
    address      TEXT,
    record_table TEXT NOT NULL,
    record       TEXT NOT NULL,
    name         TEXT NOT NULL,
    operation    TEXT NOT NULL,
    changes      TEXT NOT NULL
) STRICT;
CREATE INDEX gatepost_audit_of_owner ON gatepost_audit (owner);
CREATE INDEX gatepost_audit_of_tenant ON gatepost_audit (tenant) WHERE tenant IS NOT NULL;
CREATE INDEX gatepost_audit_of_record ON gatepost_audit (record, record_table);
CREATE INDEX gatepost_audit_of_actor ON gatepost_audit (actor);
CREATE INDEX gatepost_audit_at ON gatepost_audit (at);

-- The number of entries about each owner's records.
CREATE TABLE gatepost_audit_owner (
    owner BLOB PRIMARY KEY,
    kept  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
