-- Walls between owners: where each stands, versions and changes for each place, limits, marks instead
-- of long deletions.

-- Owners ---------------------------------------------------------------------------------------
-- One row for each owner who has anything, so that every join finds one. `known` is false until the
-- owner is placed or held: such an owner is in `common` and counts as one without a row. `moving` is
-- the newest delivery at the moment of a move: those up to it that wait are ended by and by.
CREATE TABLE :schema.gatepost_owner (
    owner  bigint PRIMARY KEY,
    place  text COLLATE "C" NOT NULL DEFAULT 'common',
    tenant bigint,
    known  boolean NOT NULL DEFAULT false,
    held   boolean NOT NULL DEFAULT false,
    gone   boolean NOT NULL DEFAULT false,
    moving bigint
);
CREATE INDEX gatepost_owner_in_place ON :schema.gatepost_owner (place, owner);
CREATE INDEX gatepost_owner_in_tenant ON :schema.gatepost_owner (tenant, owner) WHERE tenant IS NOT NULL;
CREATE INDEX gatepost_owner_unknown ON :schema.gatepost_owner (owner) WHERE NOT known;
CREATE INDEX gatepost_owner_held ON :schema.gatepost_owner (owner) WHERE held;
CREATE INDEX gatepost_owner_gone ON :schema.gatepost_owner (owner) WHERE gone;
CREATE INDEX gatepost_owner_moving ON :schema.gatepost_owner (owner) WHERE moving IS NOT NULL;
INSERT INTO :schema.gatepost_owner (owner)
SELECT owner FROM :schema.gatepost_webhook UNION SELECT owner FROM :schema.gatepost_key;

-- What an owner has of the records, kept in step by every change of one.
CREATE TABLE :schema.gatepost_record_usage (
    owner    bigint PRIMARY KEY,
    webhooks bigint NOT NULL,
    tasks    bigint NOT NULL,
    events   bigint NOT NULL,
    bytes    bigint NOT NULL
) WITH (fillfactor = 70);

-- What an owner has in the queue and the log, as the engines add it up.
CREATE TABLE :schema.gatepost_log_usage (
    owner         bigint PRIMARY KEY,
    waiting       bigint NOT NULL,
    waiting_bytes bigint NOT NULL,
    log_bytes     bigint NOT NULL
) WITH (fillfactor = 70);

-- Places ---------------------------------------------------------------------------------------
-- A place is locked by one of 64 advisory locks, by hash: a change holds it alone, an enqueue shares
-- it. What an enqueue finds of the records in its places stays true until its commit. A place
-- without a row has version 0.
CREATE SEQUENCE :schema.gatepost_version AS bigint;
SELECT setval(':schema.gatepost_version', greatest(version, 1)) FROM :schema.gatepost_routes;
CREATE TABLE :schema.gatepost_place (
    place   text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL,
    changes bigint NOT NULL
) WITH (fillfactor = 70);
INSERT INTO :schema.gatepost_place (place, version, changes)
SELECT 'common', version, 0 FROM :schema.gatepost_routes WHERE version > 0;
DROP TABLE :schema.gatepost_routes;

-- What each version changed; `previous` is the version before it, `change` counts versions of the
-- place. `kind`: 0 webhook, 1 task, 2 event, 3 all records of an owner who came, 4 nothing but that an owner
-- left, 5 more than can be told.
CREATE TABLE :schema.gatepost_change (
    place    text COLLATE "C" NOT NULL,
    version  bigint NOT NULL,
    kind     smallint NOT NULL,
    record   bigint NOT NULL,
    previous bigint NOT NULL,
    change   bigint NOT NULL,
    PRIMARY KEY (place, version, kind, record)
);

-- Work that one process at a time does.
CREATE TABLE :schema.gatepost_lease (
    name   text COLLATE "C" PRIMARY KEY,
    holder text NOT NULL,
    until  timestamptz NOT NULL
);

-- API keys -------------------------------------------------------------------------------------
CREATE INDEX gatepost_key_owner ON :schema.gatepost_key (owner, id);
CREATE INDEX gatepost_key_named ON :schema.gatepost_key (name, id);
-- One row for each slice: the generation of its own last change, and the newest that it forgot.
CREATE TABLE :schema.gatepost_key_slice (
    slice      smallint PRIMARY KEY,
    generation bigint NOT NULL,
    forgotten  bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO :schema.gatepost_key_slice (slice, generation, forgotten)
SELECT s, g.generation, g.generation FROM generate_series(0, 255) AS s, :schema.gatepost_key_generation g;
CREATE INDEX gatepost_key_slice_moved ON :schema.gatepost_key_slice (generation);
DROP TABLE :schema.gatepost_key_change;
CREATE TABLE :schema.gatepost_key_change (
    slice      smallint NOT NULL,
    generation bigint NOT NULL,
    lookup     text COLLATE "C" NOT NULL,
    PRIMARY KEY (slice, generation)
);

-- Records --------------------------------------------------------------------------------------
-- `gone`: deleted, but its deliveries are still to be removed.
ALTER TABLE :schema.gatepost_webhook
    ADD COLUMN gone boolean NOT NULL DEFAULT false,
    ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE :schema.gatepost_webhook DROP CONSTRAINT gatepost_webhook_name;
-- Not a partial index: one on `NOT gone` would offer itself wherever a row is asked for that is there.
CREATE UNIQUE INDEX gatepost_webhook_name ON :schema.gatepost_webhook (owner, name, (CASE WHEN gone THEN id ELSE 0 END));
CREATE INDEX gatepost_webhook_named ON :schema.gatepost_webhook (name, id);
CREATE INDEX gatepost_webhook_gone ON :schema.gatepost_webhook (id) WHERE gone;
CREATE INDEX gatepost_webhook_idle ON :schema.gatepost_webhook (id) WHERE activity <> 'active';

ALTER TABLE :schema.gatepost_task ADD COLUMN owner bigint, ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE :schema.gatepost_event ADD COLUMN owner bigint, ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
-- As the models count, but for what is sealed: of that the text with the marks between its parts.
UPDATE :schema.gatepost_webhook SET bytes = 256 + octet_length(name) + octet_length(url)
    + coalesce(greatest(octet_length(authorization_data) - CASE WHEN substr(authorization_data, 1, 1) = E'\\x00' THEN 1 ELSE 45 END, 0), 0)
    + greatest(octet_length(headers) - CASE WHEN substr(headers, 1, 1) = E'\\x00' THEN 1 ELSE 45 END, 0)
    + greatest(octet_length(signing) - CASE WHEN substr(signing, 1, 1) = E'\\x00' THEN 1 ELSE 45 END, 0);
UPDATE :schema.gatepost_task t SET owner = w.owner,
    bytes = 256 + octet_length(t.name) + octet_length(t.description) + octet_length(t.message)
FROM :schema.gatepost_webhook w WHERE w.id = t.webhook;
UPDATE :schema.gatepost_event e SET owner = t.owner,
    bytes = 256 + octet_length(e.event_type) + octet_length(e.event) + octet_length(e.filters) + octet_length(e.context)
FROM :schema.gatepost_task t WHERE t.id = e.task;
ALTER TABLE :schema.gatepost_webhook ALTER COLUMN bytes DROP DEFAULT;
ALTER TABLE :schema.gatepost_task ALTER COLUMN owner SET NOT NULL, ALTER COLUMN bytes DROP DEFAULT;
ALTER TABLE :schema.gatepost_event ALTER COLUMN owner SET NOT NULL, ALTER COLUMN bytes DROP DEFAULT;
CREATE INDEX gatepost_task_owner ON :schema.gatepost_task (owner, id);
CREATE INDEX gatepost_task_named ON :schema.gatepost_task (name, id);
CREATE INDEX gatepost_event_owner ON :schema.gatepost_event (owner, id);
CREATE INDEX gatepost_event_heard ON :schema.gatepost_event (event_type, event, id);
CREATE INDEX gatepost_event_heard_by ON :schema.gatepost_event (owner, event_type, event);
INSERT INTO :schema.gatepost_record_usage (owner, webhooks, tasks, events, bytes)
SELECT owner, sum(w), sum(t), sum(e), sum(bytes) FROM (
    SELECT owner, 1 AS w, 0 AS t, 0 AS e, bytes FROM :schema.gatepost_webhook
    UNION ALL SELECT owner, 0, 1, 0, bytes FROM :schema.gatepost_task
    UNION ALL SELECT owner, 0, 0, 1, bytes FROM :schema.gatepost_event) r
GROUP BY owner;

-- Queue and delivery log -----------------------------------------------------------------------
-- `class` is 2 after a lost claim: to be claimed alone. `claims` is the token of the last claim, from one sequence: it is
-- good for its delivery only.
CREATE SEQUENCE :schema.gatepost_claim AS bigint;
SELECT setval(':schema.gatepost_claim', (SELECT coalesce(max(claims), 0) + 1 FROM :schema.gatepost_delivery));
ALTER TABLE :schema.gatepost_delivery
    ADD COLUMN owner bigint,
    ADD COLUMN tenant bigint,
    ADD COLUMN message_kept boolean NOT NULL DEFAULT true;
UPDATE :schema.gatepost_delivery d SET owner = w.owner FROM :schema.gatepost_webhook w WHERE w.id = d.webhook;
ALTER TABLE :schema.gatepost_delivery ALTER COLUMN owner SET NOT NULL;
-- The order of a webhook is asked of the webhook: a switch changes no delivery.
DROP INDEX :schema.gatepost_delivery_open;
ALTER TABLE :schema.gatepost_delivery DROP COLUMN in_order;
CREATE INDEX gatepost_delivery_open ON :schema.gatepost_delivery (webhook, state, id) WHERE state IN ('queued', 'running');
-- Finer than before: a span of time among many rows reads little beyond it.
DROP INDEX :schema.gatepost_delivery_created;
CREATE INDEX gatepost_delivery_created ON :schema.gatepost_delivery USING brin (created) WITH (autosummarize = on, pages_per_range = 16);
CREATE INDEX gatepost_delivery_owner ON :schema.gatepost_delivery (owner, id);
CREATE INDEX gatepost_delivery_tenant ON :schema.gatepost_delivery (tenant, id) WHERE tenant IS NOT NULL;
CREATE INDEX gatepost_delivery_task ON :schema.gatepost_delivery (task, id) WHERE task IS NOT NULL;
CREATE INDEX gatepost_delivery_failed ON :schema.gatepost_delivery (id) WHERE state = 'error';
ALTER TABLE :schema.gatepost_attempt ADD COLUMN kept boolean NOT NULL DEFAULT true;

-- What was counted instead of stored.
CREATE TABLE :schema.gatepost_dropped (
    webhook bigint NOT NULL,
    reason  text COLLATE "C" NOT NULL,
    minute  timestamptz NOT NULL,
    count   bigint NOT NULL,
    PRIMARY KEY (webhook, reason, minute)
);
CREATE INDEX gatepost_dropped_minute ON :schema.gatepost_dropped (minute);

-- Ids are unique within the place of their occurrence.
ALTER TABLE :schema.gatepost_seen ADD COLUMN place text COLLATE "C" NOT NULL DEFAULT 'common';
ALTER TABLE :schema.gatepost_seen DROP CONSTRAINT gatepost_seen_pkey, ADD PRIMARY KEY (place, id);
ALTER TABLE :schema.gatepost_seen ALTER COLUMN place DROP DEFAULT;

-- The outbox: the audience, what is left of it, and when (README, "The outbox"). `turn` is shown by
-- whoever uses the row.
ALTER TABLE :schema.gatepost_occurrence
    ADD COLUMN tenant bigint,
    ADD COLUMN owner bigint,
    ADD COLUMN operators boolean NOT NULL DEFAULT false,
    ADD COLUMN after_task bigint NOT NULL DEFAULT 0,
    ADD COLUMN tasks jsonb,
    ADD COLUMN due timestamptz,
    ADD COLUMN turn bigint NOT NULL DEFAULT 0;
UPDATE :schema.gatepost_occurrence SET due = created;
ALTER TABLE :schema.gatepost_occurrence ALTER COLUMN due SET DEFAULT now(), ALTER COLUMN due SET NOT NULL;
DROP INDEX :schema.gatepost_occurrence_waiting;
CREATE INDEX gatepost_occurrence_waiting ON :schema.gatepost_occurrence (due, id) WHERE rejected IS NULL;
-- By audience: 0 and 0 for rows that name none and those for the operators.
CREATE INDEX gatepost_occurrence_turns ON :schema.gatepost_occurrence (coalesce(tenant, 0), coalesce(owner, 0), due, id) WHERE rejected IS NULL;
