-- Walls between owners: where each stands, versions and changes for each place, limits, marks instead
-- of long deletions.

-- Owners ---------------------------------------------------------------------------------------
-- One row for each owner who has anything, so that every join finds one. `known` is false until the
-- owner is placed or held: such an owner is in `common` and counts as one without a row. `moving` is
-- the newest delivery at the moment of a move: those up to it that wait are ended by and by.
CREATE TABLE gatepost_owner (
    owner  bigint PRIMARY KEY,
    place  text COLLATE "C" NOT NULL DEFAULT 'common',
    tenant bigint,
    known  boolean NOT NULL DEFAULT false,
    held   boolean NOT NULL DEFAULT false,
    gone   boolean NOT NULL DEFAULT false,
    moving bigint
);
CREATE INDEX gatepost_owner_in_place ON gatepost_owner (place, owner);
CREATE INDEX gatepost_owner_in_tenant ON gatepost_owner (tenant, owner) WHERE tenant IS NOT NULL;
CREATE INDEX gatepost_owner_unknown ON gatepost_owner (owner) WHERE NOT known;
CREATE INDEX gatepost_owner_held ON gatepost_owner (owner) WHERE held;
CREATE INDEX gatepost_owner_gone ON gatepost_owner (owner) WHERE gone;
CREATE INDEX gatepost_owner_moving ON gatepost_owner (owner) WHERE moving IS NOT NULL;
INSERT INTO gatepost_owner (owner)
SELECT owner FROM gatepost_webhook UNION SELECT owner FROM gatepost_key;

-- What an owner has of the records, kept in step by every change of one.
CREATE TABLE gatepost_record_usage (
    owner    bigint PRIMARY KEY,
    webhooks bigint NOT NULL,
    tasks    bigint NOT NULL,
    events   bigint NOT NULL,
    bytes    bigint NOT NULL
) WITH (fillfactor = 70);

-- What an owner has in the queue and the log, as the engines add it up.
CREATE TABLE gatepost_log_usage (
    owner         bigint PRIMARY KEY,
    waiting       bigint NOT NULL,
    waiting_bytes bigint NOT NULL,
    log_bytes     bigint NOT NULL
) WITH (fillfactor = 70);

-- Places ---------------------------------------------------------------------------------------
-- A place is locked by one of 64 advisory locks, by hash: a change holds it alone, an enqueue shares
-- it. What an enqueue finds of the records in its places stays true until its commit. A place
-- without a row has version 0.
CREATE SEQUENCE gatepost_version AS bigint;
SELECT setval('gatepost_version', greatest(version, 1)) FROM gatepost_routes;
CREATE TABLE gatepost_place (
    place   text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL,
    changes bigint NOT NULL
) WITH (fillfactor = 70);
INSERT INTO gatepost_place (place, version, changes)
SELECT 'common', version, 0 FROM gatepost_routes WHERE version > 0;
DROP TABLE gatepost_routes;

-- What each version changed; `previous` is the version before it, `change` counts versions of the
-- place. `kind`: 0 webhook, 1 task, 2 event, 3 all records of an owner who came, 4 nothing but that an owner
-- left, 5 more than can be told.
CREATE TABLE gatepost_change (
    place    text COLLATE "C" NOT NULL,
    version  bigint NOT NULL,
    kind     smallint NOT NULL,
    record   bigint NOT NULL,
    previous bigint NOT NULL,
    change   bigint NOT NULL,
    PRIMARY KEY (place, version, kind, record)
);

-- Work that one process at a time does.
CREATE TABLE gatepost_lease (
    name   text COLLATE "C" PRIMARY KEY,
    holder text NOT NULL,
    until  timestamptz NOT NULL
);

-- API keys -------------------------------------------------------------------------------------
CREATE INDEX gatepost_key_owner ON gatepost_key (owner, id);
CREATE INDEX gatepost_key_named ON gatepost_key (name, id);
-- One row for each slice: the generation of its own last change, and the newest that it forgot.
CREATE TABLE gatepost_key_slice (
    slice      smallint PRIMARY KEY,
    generation bigint NOT NULL,
    forgotten  bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO gatepost_key_slice (slice, generation, forgotten)
SELECT s, g.generation, g.generation FROM generate_series(0, 255) AS s, gatepost_key_generation g;
CREATE INDEX gatepost_key_slice_moved ON gatepost_key_slice (generation);
DROP TABLE gatepost_key_change;
CREATE TABLE gatepost_key_change (
    slice      smallint NOT NULL,
    generation bigint NOT NULL,
    lookup     text COLLATE "C" NOT NULL,
    PRIMARY KEY (slice, generation)
);

-- Records --------------------------------------------------------------------------------------
-- `gone`: deleted, but its deliveries are still to be removed.
ALTER TABLE gatepost_webhook
    ADD COLUMN gone boolean NOT NULL DEFAULT false,
    ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE gatepost_webhook DROP CONSTRAINT gatepost_webhook_name;
-- Not a partial index: one on `NOT gone` would offer itself wherever a row is asked for that is there.
CREATE UNIQUE INDEX gatepost_webhook_name ON gatepost_webhook (owner, name, (CASE WHEN gone THEN id ELSE 0 END));
CREATE INDEX gatepost_webhook_named ON gatepost_webhook (name, id);
CREATE INDEX gatepost_webhook_gone ON gatepost_webhook (id) WHERE gone;
CREATE INDEX gatepost_webhook_idle ON gatepost_webhook (id) WHERE activity <> 'active';

ALTER TABLE gatepost_task ADD COLUMN owner bigint, ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE gatepost_event ADD COLUMN owner bigint, ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
-- As the models count, but for what is sealed: of that the text with the marks between its parts.
UPDATE gatepost_webhook SET bytes = 256 + octet_length(name) + octet_length(url)
    + coalesce(greatest(octet_length(authorization_data) - CASE WHEN substr(authorization_data, 1, 1) = '\x00' THEN 1 ELSE 45 END, 0), 0)
    + greatest(octet_length(headers) - CASE WHEN substr(headers, 1, 1) = '\x00' THEN 1 ELSE 45 END, 0)
    + greatest(octet_length(signing) - CASE WHEN substr(signing, 1, 1) = '\x00' THEN 1 ELSE 45 END, 0);
UPDATE gatepost_task t SET owner = w.owner,
    bytes = 256 + octet_length(t.name) + octet_length(t.description) + octet_length(t.message)
FROM gatepost_webhook w WHERE w.id = t.webhook;
UPDATE gatepost_event e SET owner = t.owner,
    bytes = 256 + octet_length(e.event_type) + octet_length(e.event) + octet_length(e.filters) + octet_length(e.context)
FROM gatepost_task t WHERE t.id = e.task;
ALTER TABLE gatepost_webhook ALTER COLUMN bytes DROP DEFAULT;
ALTER TABLE gatepost_task ALTER COLUMN owner SET NOT NULL, ALTER COLUMN bytes DROP DEFAULT;
ALTER TABLE gatepost_event ALTER COLUMN owner SET NOT NULL, ALTER COLUMN bytes DROP DEFAULT;
CREATE INDEX gatepost_task_owner ON gatepost_task (owner, id);
CREATE INDEX gatepost_task_named ON gatepost_task (name, id);
CREATE INDEX gatepost_event_owner ON gatepost_event (owner, id);
CREATE INDEX gatepost_event_heard ON gatepost_event (event_type, event, id);
CREATE INDEX gatepost_event_heard_by ON gatepost_event (owner, event_type, event);
INSERT INTO gatepost_record_usage (owner, webhooks, tasks, events, bytes)
SELECT owner, sum(w), sum(t), sum(e), sum(bytes) FROM (
    SELECT owner, 1 AS w, 0 AS t, 0 AS e, bytes FROM gatepost_webhook
    UNION ALL SELECT owner, 0, 1, 0, bytes FROM gatepost_task
    UNION ALL SELECT owner, 0, 0, 1, bytes FROM gatepost_event) r
GROUP BY owner;

-- Queue and delivery log -----------------------------------------------------------------------
-- `class` is 2 after a lost claim: to be claimed alone. `claims` is the token of the last claim, from one sequence: it is
-- good for its delivery only.
CREATE SEQUENCE gatepost_claim AS bigint;
SELECT setval('gatepost_claim', (SELECT coalesce(max(claims), 0) + 1 FROM gatepost_delivery));
ALTER TABLE gatepost_delivery
    ADD COLUMN owner bigint,
    ADD COLUMN tenant bigint,
    ADD COLUMN message_kept boolean NOT NULL DEFAULT true;
UPDATE gatepost_delivery d SET owner = w.owner FROM gatepost_webhook w WHERE w.id = d.webhook;
ALTER TABLE gatepost_delivery ALTER COLUMN owner SET NOT NULL;
-- The order of a webhook is asked of the webhook: a switch changes no delivery.
DROP INDEX gatepost_delivery_open;
ALTER TABLE gatepost_delivery DROP COLUMN in_order;
CREATE INDEX gatepost_delivery_open ON gatepost_delivery (webhook, state, id) WHERE state IN ('queued', 'running');
-- Finer than before: a span of time among many rows reads little beyond it.
DROP INDEX gatepost_delivery_created;
CREATE INDEX gatepost_delivery_created ON gatepost_delivery USING brin (created) WITH (autosummarize = on, pages_per_range = 16);
CREATE INDEX gatepost_delivery_owner ON gatepost_delivery (owner, id);
CREATE INDEX gatepost_delivery_tenant ON gatepost_delivery (tenant, id) WHERE tenant IS NOT NULL;
CREATE INDEX gatepost_delivery_task ON gatepost_delivery (task, id) WHERE task IS NOT NULL;
CREATE INDEX gatepost_delivery_failed ON gatepost_delivery (id) WHERE state = 'error';
ALTER TABLE gatepost_attempt ADD COLUMN kept boolean NOT NULL DEFAULT true;

-- What was counted instead of stored.
CREATE TABLE gatepost_dropped (
    webhook bigint NOT NULL,
    reason  text COLLATE "C" NOT NULL,
    minute  timestamptz NOT NULL,
    count   bigint NOT NULL,
    PRIMARY KEY (webhook, reason, minute)
);
CREATE INDEX gatepost_dropped_minute ON gatepost_dropped (minute);

-- Ids are unique within the place of their occurrence.
ALTER TABLE gatepost_seen ADD COLUMN place text COLLATE "C" NOT NULL DEFAULT 'common';
ALTER TABLE gatepost_seen DROP CONSTRAINT gatepost_seen_pkey, ADD PRIMARY KEY (place, id);
ALTER TABLE gatepost_seen ALTER COLUMN place DROP DEFAULT;

-- The outbox: the audience, what is left of it, and when (README, "The outbox"). `turn` is shown by
-- whoever uses the row.
ALTER TABLE gatepost_occurrence
    ADD COLUMN tenant bigint,
    ADD COLUMN owner bigint,
    ADD COLUMN operators boolean NOT NULL DEFAULT false,
    ADD COLUMN after_task bigint NOT NULL DEFAULT 0,
    ADD COLUMN tasks jsonb,
    ADD COLUMN due timestamptz,
    ADD COLUMN turn bigint NOT NULL DEFAULT 0;
UPDATE gatepost_occurrence SET due = created;
ALTER TABLE gatepost_occurrence ALTER COLUMN due SET DEFAULT now(), ALTER COLUMN due SET NOT NULL;
DROP INDEX gatepost_occurrence_waiting;
CREATE INDEX gatepost_occurrence_waiting ON gatepost_occurrence (due, id) WHERE rejected IS NULL;
-- By audience: 0 and 0 for rows that name none and those for the operators.
CREATE INDEX gatepost_occurrence_turns ON gatepost_occurrence (coalesce(tenant, 0), coalesce(owner, 0), due, id) WHERE rejected IS NULL;
