-- Walls between tenants: where each owner stands, a version for each place, rows that are gone before they are removed.
-- No delivery is rewritten: its owner is its webhook's, and new columns are kept as their defaults.

-- Owners ---------------------------------------------------------------------------------------
-- A row for everyone who has or had something. `place` is as `Place` writes itself. `placed`: the platform said so, or
-- held the owner. `unplaced`: has had a key or a webhook since before. `gone`: removed, and not placed again; keys and
-- webhooks up to `gone_keys` and `gone_webhooks` are to be removed. `moved`: deliveries up to this one were made in
-- another place, and those that wait are to be ended. `unfinished`: one of the three is not 0. Then what the owner has:
-- records (exactly), queue and log (an estimate).
CREATE TABLE gatepost_owner (
    owner         INTEGER PRIMARY KEY,
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
    log_bytes     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX gatepost_owner_of_place ON gatepost_owner (place);
CREATE INDEX gatepost_owner_held ON gatepost_owner (owner) WHERE held = 1;
CREATE INDEX gatepost_owner_unplaced ON gatepost_owner (owner) WHERE unplaced = 1;
CREATE INDEX gatepost_owner_unfinished ON gatepost_owner (owner) WHERE unfinished = 1;

-- Places: `version` is drawn from gatepost_routes; `changes` counts them; the log is complete since `started`.
CREATE TABLE gatepost_place (
    place   TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    changes INTEGER NOT NULL DEFAULT 0,
    started INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO gatepost_place (place, version, started) SELECT 'common', version, version FROM gatepost_routes;

-- What each change of a place touched: `kind` is 0 webhook, 1 task, 2 event, 3 an owner with all records, 4 a task with
-- its events. The older ones are trimmed.
CREATE TABLE gatepost_route_change (
    place   TEXT NOT NULL,
    change  INTEGER NOT NULL,
    version INTEGER NOT NULL,
    kind    INTEGER NOT NULL,
    record  INTEGER NOT NULL,
    PRIMARY KEY (place, change, kind, record)
) STRICT, WITHOUT ROWID;

-- What one process at a time does.
CREATE TABLE gatepost_lease (
    name   TEXT PRIMARY KEY,
    holder BLOB NOT NULL,
    until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- API keys: a generation for each slice, drawn from gatepost_key_generation, and the log of a slice ------------------
CREATE TABLE gatepost_key_slice (
    slice      INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL,
    forgotten  INTEGER NOT NULL
) STRICT;
INSERT INTO gatepost_key_slice
    WITH RECURSIVE slices (slice) AS (SELECT 0 UNION ALL SELECT slice + 1 FROM slices WHERE slice < 255)
    SELECT slice, generation, generation FROM slices, gatepost_key_generation;
DROP TABLE gatepost_key_change;
CREATE TABLE gatepost_key_change (
    slice      INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    lookup     TEXT NOT NULL,
    PRIMARY KEY (slice, generation)
) STRICT, WITHOUT ROWID;
CREATE INDEX gatepost_key_of_owner ON gatepost_key (owner);
CREATE INDEX gatepost_key_of_name ON gatepost_key (name);

-- Records --------------------------------------------------------------------------------------
-- Made again, because names were unique among all webhooks. `bytes` is what the record counts for in a quota; `gone`:
-- deleted, and still to be removed; `ordered_to`: the webhook has just become one in order, and its deliveries up to
-- this one know that; nothing is claimed until all do, and it is NULL.
CREATE TABLE gatepost_webhook_2 (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    revision           INTEGER NOT NULL,
    created            INTEGER NOT NULL,
    modified           INTEGER NOT NULL,
    owner              INTEGER NOT NULL,
    name               TEXT NOT NULL,
    url                TEXT NOT NULL,
    authorization_kind TEXT NOT NULL,
    authorization_data BLOB,
    headers            BLOB NOT NULL,
    allow_insecure     INTEGER NOT NULL,
    timeout_s          INTEGER NOT NULL,
    retries            INTEGER NOT NULL,
    activity           TEXT NOT NULL,
    in_order           INTEGER NOT NULL,
    signing            BLOB NOT NULL,
    rate               INTEGER,
    bytes              INTEGER NOT NULL,
    gone               INTEGER NOT NULL DEFAULT 0,
    ordered_to         INTEGER
) STRICT;
-- What sealing added to a secret is not counted.
INSERT INTO gatepost_webhook_2
    SELECT id, revision, created, modified, owner, name, url, authorization_kind, authorization_data, headers,
        allow_insecure, timeout_s, retries, activity, in_order, signing, rate,
        256 + octet_length(name) + octet_length(url)
            + coalesce(max(0, length(authorization_data) - iif(substr(authorization_data, 1, 1) = x'01', 45, 1)), 0)
            + max(0, length(headers) - iif(substr(headers, 1, 1) = x'01', 45, 1))
            + max(0, length(signing) - iif(substr(signing, 1, 1) = x'01', 45, 1)),
        0, NULL
    FROM gatepost_webhook;
-- Row numbers are not given out again, those of deleted webhooks neither.
DELETE FROM sqlite_sequence WHERE name = 'gatepost_webhook_2';
INSERT INTO sqlite_sequence (name, seq)
    SELECT 'gatepost_webhook_2', seq FROM sqlite_sequence WHERE name = 'gatepost_webhook';
DROP TABLE gatepost_webhook;
ALTER TABLE gatepost_webhook_2 RENAME TO gatepost_webhook;
CREATE UNIQUE INDEX gatepost_webhook_name ON gatepost_webhook (name, owner) WHERE gone = 0;
CREATE INDEX gatepost_webhook_of_owner ON gatepost_webhook (owner);
CREATE INDEX gatepost_webhook_gone ON gatepost_webhook (id) WHERE gone = 1;
CREATE INDEX gatepost_webhook_ordering ON gatepost_webhook (id) WHERE ordered_to IS NOT NULL;

-- `owner` is the webhook's. `gone` as of a webhook.
ALTER TABLE gatepost_task ADD COLUMN owner INTEGER NOT NULL DEFAULT 0;
ALTER TABLE gatepost_task ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE gatepost_task ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;
UPDATE gatepost_task SET
    owner = (SELECT w.owner FROM gatepost_webhook w WHERE w.id = gatepost_task.webhook),
    bytes = 256 + octet_length(message) + octet_length(name) + octet_length(description);
CREATE INDEX gatepost_task_of_owner ON gatepost_task (owner);
CREATE INDEX gatepost_task_of_name ON gatepost_task (name);
CREATE INDEX gatepost_task_gone ON gatepost_task (id) WHERE gone = 1;

-- `owner` is the task's.
ALTER TABLE gatepost_event ADD COLUMN owner INTEGER NOT NULL DEFAULT 0;
ALTER TABLE gatepost_event ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
UPDATE gatepost_event SET
    owner = (SELECT t.owner FROM gatepost_task t WHERE t.id = gatepost_event.task),
    bytes = 256 + octet_length(event_type) + octet_length(event) + octet_length(filters) + octet_length(context);
CREATE INDEX gatepost_event_of_owner ON gatepost_event (owner);
CREATE INDEX gatepost_event_of_type ON gatepost_event (event_type, event, owner);

-- Whoever has something has a row, and waits to be placed.
INSERT INTO gatepost_owner (owner, unplaced)
    SELECT owner, 1 FROM gatepost_webhook UNION SELECT owner, 1 FROM gatepost_key;
UPDATE gatepost_owner SET
    (webhooks, bytes) = (SELECT count(*), coalesce(sum(w.bytes), 0) FROM gatepost_webhook w WHERE w.owner = gatepost_owner.owner);
UPDATE gatepost_owner SET
    (tasks, bytes) = (SELECT count(*), gatepost_owner.bytes + coalesce(sum(t.bytes), 0)
                      FROM gatepost_task t WHERE t.owner = gatepost_owner.owner);
UPDATE gatepost_owner SET
    (events, bytes) = (SELECT count(*), gatepost_owner.bytes + coalesce(sum(e.bytes), 0)
                       FROM gatepost_event e WHERE e.owner = gatepost_owner.owner);

-- Webhooks and tasks that were not deleted, nor their owner removed: the only ones that anybody sees.
CREATE VIEW gatepost_live_webhook AS
    SELECT w.id, w.owner, w.revision, w.activity, w.in_order, w.ordered_to, o.place, o.held, o.moved
    FROM gatepost_webhook w JOIN gatepost_owner o ON o.owner = w.owner
    WHERE w.gone = 0 AND w.id > o.gone_webhooks;
CREATE VIEW gatepost_live_task AS
    SELECT t.id, t.owner, t.revision, t.enabled, t.webhook, w.place, w.held, w.moved
    FROM gatepost_task t JOIN gatepost_live_webhook w ON w.id = t.webhook
    WHERE t.gone = 0;
-- The others: few, and found without looking at the rest.
CREATE VIEW gatepost_gone_webhook AS
    SELECT id FROM gatepost_webhook WHERE gone = 1
    UNION ALL
    SELECT w.id FROM gatepost_owner o CROSS JOIN gatepost_webhook w ON w.owner = o.owner
    WHERE o.unfinished = 1 AND w.id <= o.gone_webhooks;

-- Queue and delivery log -----------------------------------------------------------------------
-- `class` may be 2 now: the last claim was lost, to be claimed alone. `tenant` is where it was made. In the owner's list
-- a delivery is found by its webhooks.
ALTER TABLE gatepost_delivery ADD COLUMN tenant INTEGER;
ALTER TABLE gatepost_delivery ADD COLUMN message_kept INTEGER NOT NULL DEFAULT 1;
DROP INDEX gatepost_delivery_ended;
CREATE INDEX gatepost_delivery_of_state ON gatepost_delivery (state, created);
CREATE INDEX gatepost_delivery_of_task ON gatepost_delivery (task) WHERE task IS NOT NULL;
CREATE INDEX gatepost_delivery_of_tenant ON gatepost_delivery (tenant) WHERE tenant IS NOT NULL;
ALTER TABLE gatepost_attempt ADD COLUMN kept INTEGER NOT NULL DEFAULT 1;

-- Deliveries that were counted instead of stored. `minute` is its beginning.
CREATE TABLE gatepost_dropped (
    webhook INTEGER NOT NULL,
    reason  TEXT NOT NULL,
    minute  INTEGER NOT NULL,
    owner   INTEGER NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (webhook, reason, minute)
) STRICT, WITHOUT ROWID;
CREATE INDEX gatepost_dropped_of_owner ON gatepost_dropped (owner, minute);
CREATE INDEX gatepost_dropped_at ON gatepost_dropped (minute);

-- Ids of occurrences are unique within their place.
CREATE TABLE gatepost_seen_2 (
    place  TEXT NOT NULL,
    id     TEXT NOT NULL,
    stored INTEGER NOT NULL,
    PRIMARY KEY (place, id)
) STRICT, WITHOUT ROWID;
INSERT INTO gatepost_seen_2 SELECT 'common', id, stored FROM gatepost_seen ORDER BY id;
DROP TABLE gatepost_seen;
ALTER TABLE gatepost_seen_2 RENAME TO gatepost_seen;
CREATE INDEX gatepost_seen_stored ON gatepost_seen (stored);

-- The outbox: for whom an occurrence is meant, and how far the engine has come with it. `due` is NULL until the engine
-- puts a row off.
ALTER TABLE gatepost_occurrence ADD COLUMN tenant INTEGER;
ALTER TABLE gatepost_occurrence ADD COLUMN owner INTEGER;
ALTER TABLE gatepost_occurrence ADD COLUMN operators INTEGER NOT NULL DEFAULT 0;
ALTER TABLE gatepost_occurrence ADD COLUMN after_task INTEGER NOT NULL DEFAULT 0;
ALTER TABLE gatepost_occurrence ADD COLUMN tasks TEXT;
ALTER TABLE gatepost_occurrence ADD COLUMN due INTEGER;
ALTER TABLE gatepost_occurrence ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
DROP INDEX gatepost_occurrence_waiting;
CREATE INDEX gatepost_occurrence_waiting ON gatepost_occurrence (created, id) WHERE rejected IS NULL AND due IS NULL;
CREATE INDEX gatepost_occurrence_due ON gatepost_occurrence (due, id) WHERE rejected IS NULL AND due IS NOT NULL;
-- By audience, as one number: 0 for rows that name none and those for the operators.
CREATE INDEX gatepost_occurrence_turns ON gatepost_occurrence (ifnull(tenant << 1, ifnull(owner << 1 | 1, 0)), due, id) WHERE rejected IS NULL;
