-- Everything that Gatepost keeps. Times are microseconds since 1970 (UTC), lengths of time microseconds.

-- API keys -------------------------------------------------------------------------------------
CREATE TABLE gatepost_key (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    revision        INTEGER NOT NULL,
    owner           INTEGER NOT NULL,
    lookup          TEXT NOT NULL UNIQUE,
    hint            TEXT NOT NULL,
    digest_scheme   TEXT NOT NULL,
    digest          BLOB NOT NULL,
    name            TEXT NOT NULL,
    description     TEXT NOT NULL,
    expires         INTEGER,
    ip_allow        TEXT NOT NULL,
    ip_deny         TEXT NOT NULL,
    created         INTEGER NOT NULL,
    last_login      INTEGER,
    last_login_from TEXT,
    UNIQUE (owner, name)
) STRICT;

-- One row: counts edits and deletions.
CREATE TABLE gatepost_key_generation (generation INTEGER NOT NULL) STRICT;
INSERT INTO gatepost_key_generation VALUES (0);

-- Which key each generation changed; the older ones are trimmed.
CREATE TABLE gatepost_key_change (
    generation INTEGER PRIMARY KEY,
    lookup     TEXT NOT NULL
) STRICT;

-- Records --------------------------------------------------------------------------------------
-- One row: counts changes of webhooks, tasks and events, in the transaction of each change.
CREATE TABLE gatepost_routes (version INTEGER NOT NULL) STRICT;
INSERT INTO gatepost_routes VALUES (0);

CREATE TABLE gatepost_webhook (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    revision           INTEGER NOT NULL,
    created            INTEGER NOT NULL,
    modified           INTEGER NOT NULL,
    owner              INTEGER NOT NULL,
    name               TEXT NOT NULL UNIQUE,
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
    rate               INTEGER
) STRICT;
CREATE INDEX gatepost_webhook_owner ON gatepost_webhook (owner);

CREATE TABLE gatepost_task (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    revision         INTEGER NOT NULL,
    created          INTEGER NOT NULL,
    modified         INTEGER NOT NULL,
    last_run         INTEGER,
    creator          INTEGER NOT NULL,
    name             TEXT NOT NULL,
    description      TEXT NOT NULL,
    enabled          INTEGER NOT NULL,
    delete_after_run INTEGER NOT NULL,
    webhook          INTEGER NOT NULL REFERENCES gatepost_webhook,
    message          TEXT NOT NULL
) STRICT;
CREATE INDEX gatepost_task_of_webhook ON gatepost_task (webhook);
CREATE INDEX gatepost_task_of_creator ON gatepost_task (creator);

CREATE TABLE gatepost_event (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    revision   INTEGER NOT NULL,
    created    INTEGER NOT NULL,
    modified   INTEGER NOT NULL,
    event_type TEXT NOT NULL,
    event      TEXT NOT NULL,
    instance   INTEGER,
    tag        INTEGER,
    task       INTEGER NOT NULL REFERENCES gatepost_task ON DELETE CASCADE,
    enabled    INTEGER NOT NULL,
    filters    TEXT NOT NULL,
    context    TEXT NOT NULL,
    CHECK (instance IS NULL OR tag IS NULL)
) STRICT;
CREATE INDEX gatepost_event_of_task ON gatepost_event (task);

-- Queue and delivery log -----------------------------------------------------------------------
-- `state` is 0 queued, 1 running, 2 sent, 3 error. `class` is 0 before the first attempt and 1 after; `claims`
-- counts claims and is the valid token while running; `settled` is the token of the last settlement; `logged`
-- counts attempts ever made; `in_order` is the webhook's, kept in step while the delivery has not ended.
CREATE TABLE gatepost_delivery (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id      TEXT NOT NULL UNIQUE,
    webhook         INTEGER NOT NULL REFERENCES gatepost_webhook ON DELETE CASCADE,
    task            INTEGER,
    body            TEXT NOT NULL,
    state           INTEGER NOT NULL,
    class           INTEGER NOT NULL DEFAULT 0,
    in_order        INTEGER NOT NULL,
    status_info     TEXT NOT NULL DEFAULT '',
    created         INTEGER NOT NULL,
    due             INTEGER NOT NULL,
    lease_until     INTEGER,
    last_attempt    INTEGER,
    attempts        INTEGER NOT NULL DEFAULT 0,
    lost_claims     INTEGER NOT NULL DEFAULT 0,
    claims          INTEGER NOT NULL DEFAULT 0,
    settled         INTEGER,
    logged          INTEGER NOT NULL DEFAULT 0,
    response_status INTEGER,
    duration_us     INTEGER
) STRICT;
CREATE INDEX gatepost_delivery_of_webhook ON gatepost_delivery (webhook);
CREATE INDEX gatepost_delivery_waiting ON gatepost_delivery (webhook, class, due, id) WHERE state = 0;
CREATE INDEX gatepost_delivery_leased ON gatepost_delivery (lease_until) WHERE state = 1;
CREATE INDEX gatepost_delivery_open ON gatepost_delivery (webhook, id) WHERE in_order = 1 AND state < 2;
CREATE INDEX gatepost_delivery_ended ON gatepost_delivery (created) WHERE state >= 2;

CREATE TABLE gatepost_attempt (
    delivery      INTEGER NOT NULL REFERENCES gatepost_delivery ON DELETE CASCADE,
    number        INTEGER NOT NULL,
    started       INTEGER NOT NULL,
    duration_us   INTEGER NOT NULL,
    dns_us        INTEGER,
    connect_us    INTEGER,
    tls_us        INTEGER,
    first_byte_us INTEGER,
    class         TEXT NOT NULL,
    info          TEXT NOT NULL,
    status        INTEGER,
    remote        TEXT,
    protocol      TEXT,
    response_head BLOB NOT NULL,
    response_body BLOB NOT NULL,
    truncated     INTEGER NOT NULL,
    PRIMARY KEY (delivery, number)
) STRICT, WITHOUT ROWID;

-- Ids of occurrences that were fanned out already.
CREATE TABLE gatepost_seen (
    id     TEXT PRIMARY KEY,
    stored INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX gatepost_seen_stored ON gatepost_seen (stored);

-- The outbox: hosts insert here in their own transactions (README, "The outbox").
CREATE TABLE gatepost_occurrence (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    event_type    TEXT NOT NULL,
    event         TEXT NOT NULL,
    object_id     INTEGER,
    object_name   TEXT,
    tags          TEXT NOT NULL DEFAULT '[]',
    variables     TEXT NOT NULL DEFAULT '{}',
    occurrence_id TEXT,
    created       INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    rejected      TEXT
) STRICT;
CREATE INDEX gatepost_occurrence_waiting ON gatepost_occurrence (id) WHERE rejected IS NULL;
