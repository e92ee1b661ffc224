-- All tables of Gatepost. `:schema` is the schema of the store.

-- API keys -------------------------------------------------------------------------------------
-- The permissions of a key within those of its user: read-only, and the tables and scopes that it
-- may use, joined by commas; '' names none.
-- `locked`: another user than the owner disabled it, and its owner cannot enable it.
CREATE TABLE :schema.gatepost_key (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    revision            bigint NOT NULL,
    owner               uuid NOT NULL,
    lookup              text COLLATE "C" NOT NULL CONSTRAINT gatepost_key_lookup UNIQUE,
    masked                text NOT NULL,
    digest_scheme       text NOT NULL,
    digest              bytea NOT NULL,
    name                text COLLATE "C" NOT NULL,
    description         text NOT NULL,
    expires             timestamptz,
    ip_allow            text NOT NULL,
    ip_deny             text NOT NULL,
    created             timestamptz NOT NULL,
    last_login          timestamptz,
    last_login_from     text,
    enabled             boolean NOT NULL,
    locked              boolean NOT NULL,
    read_only           boolean NOT NULL,
    tables              text NOT NULL,
    scopes              text NOT NULL,
    requests_per_minute bigint,
    rolled_from         bigint,
    rolled_to           bigint,
    CONSTRAINT gatepost_key_name UNIQUE (owner, name)
) WITH (fillfactor = 90);
CREATE INDEX gatepost_key_owner ON :schema.gatepost_key (owner, id);
CREATE INDEX gatepost_key_named ON :schema.gatepost_key (name, id);
CREATE INDEX gatepost_key_expires ON :schema.gatepost_key (expires, id) WHERE expires IS NOT NULL;

-- The daily uses of each key, in UTC.
CREATE TABLE :schema.gatepost_key_use (
    key     bigint NOT NULL REFERENCES :schema.gatepost_key (id) ON DELETE CASCADE,
    day     date NOT NULL,
    used    bigint NOT NULL,
    refused bigint NOT NULL,
    PRIMARY KEY (key, day)
) WITH (fillfactor = 70);

-- One row: counts edits and deletions. Its row lock puts them in one order.
CREATE TABLE :schema.gatepost_key_generation (generation bigint NOT NULL);
INSERT INTO :schema.gatepost_key_generation VALUES (0);

-- One row for each shard: the generation of its last change, and the newest change that is no
-- longer remembered.
CREATE TABLE :schema.gatepost_key_shard (
    shard      smallint PRIMARY KEY,
    generation bigint NOT NULL,
    forgotten  bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO :schema.gatepost_key_shard (shard, generation, forgotten) SELECT s, 0, 0 FROM generate_series(0, 255) AS s;
CREATE INDEX gatepost_key_shard_moved ON :schema.gatepost_key_shard (generation);

-- The key that each generation changed; older ones are trimmed.
CREATE TABLE :schema.gatepost_key_change (
    shard      smallint NOT NULL,
    generation bigint NOT NULL,
    lookup     text COLLATE "C" NOT NULL,
    PRIMARY KEY (shard, generation)
);

-- The processes that cache keys. `acknowledged` is the generation that a process acts on.
CREATE TABLE :schema.gatepost_node (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    acknowledged bigint NOT NULL,
    lease_until  timestamptz NOT NULL
);

-- Owners ---------------------------------------------------------------------------------------
-- One row for each owner with records, so that every join finds one. `known` is false until the
-- owner is assigned to a realm or suspended: such an owner is in `common` and counts as one without
-- a row.
-- `moves` counts how often the owner has left a realm; deliveries store its value. `moving`:
-- waiting deliveries with a lower number are being ended.
-- `left_tenants`: the former tenants, in which the owner's waiting deliveries are found, too; NULL
-- if there were more than 16.
-- `hidden_to`: ended deliveries up to this one are beyond the owner's share, are not shown, and
-- must be removed; 0: none.
CREATE TABLE :schema.gatepost_owner (
    owner        uuid PRIMARY KEY,
    place        text COLLATE "C" NOT NULL DEFAULT 'common',
    tenant       uuid,
    known        boolean NOT NULL DEFAULT false,
    held         boolean NOT NULL DEFAULT false,
    gone         boolean NOT NULL DEFAULT false,
    moves        integer NOT NULL DEFAULT 0,
    moving       integer,
    left_tenants uuid[] DEFAULT '{}',
    hidden_to    bigint NOT NULL DEFAULT 0
);
CREATE INDEX gatepost_owner_in_place ON :schema.gatepost_owner (place, owner);
CREATE INDEX gatepost_owner_in_tenant ON :schema.gatepost_owner (tenant, owner) WHERE tenant IS NOT NULL;
CREATE INDEX gatepost_owner_unknown ON :schema.gatepost_owner (owner) WHERE NOT known;
CREATE INDEX gatepost_owner_held ON :schema.gatepost_owner (owner) WHERE held;
CREATE INDEX gatepost_owner_gone ON :schema.gatepost_owner (owner) WHERE gone;
CREATE INDEX gatepost_owner_hidden ON :schema.gatepost_owner (owner) WHERE hidden_to > 0;
CREATE INDEX gatepost_owner_moving ON :schema.gatepost_owner (owner) WHERE moving IS NOT NULL;
CREATE INDEX gatepost_owner_left ON :schema.gatepost_owner USING gin (left_tenants) WITH (fastupdate = off) WHERE left_tenants <> '{}';
CREATE INDEX gatepost_owner_left_many ON :schema.gatepost_owner (owner) WHERE left_tenants IS NULL;
CREATE FUNCTION :schema.gatepost_leave_tenant() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT OLD.left_tenants @> ARRAY[OLD.tenant] THEN
        NEW.left_tenants := CASE WHEN cardinality(OLD.left_tenants) < 16 THEN OLD.left_tenants || OLD.tenant END;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER gatepost_leave_tenant BEFORE UPDATE OF tenant ON :schema.gatepost_owner FOR EACH ROW
    WHEN (OLD.tenant IS NOT NULL AND OLD.tenant IS DISTINCT FROM NEW.tenant) EXECUTE FUNCTION :schema.gatepost_leave_tenant();

-- The record usage of an owner, updated by every change of a record.
CREATE TABLE :schema.gatepost_record_usage (
    owner    uuid PRIMARY KEY,
    webhooks bigint NOT NULL,
    tasks    bigint NOT NULL,
    events   bigint NOT NULL,
    bytes    bigint NOT NULL
) WITH (fillfactor = 70);

-- The usage of the queue and the log by owner, as the engines add it up.
CREATE TABLE :schema.gatepost_log_usage (
    owner         uuid PRIMARY KEY,
    waiting       bigint NOT NULL,
    waiting_bytes bigint NOT NULL,
    log_bytes     bigint NOT NULL
) WITH (fillfactor = 70);

-- Realms ---------------------------------------------------------------------------------------
-- Each realm has the number of an advisory lock, which its changes hold. The realms of the
-- operators and of owners without an assigned realm have separate numbers, so that no tenant's
-- changes hold them.
-- The others have 64 by hash; 64 to 319 are those of webhooks in order.
CREATE FUNCTION :schema.gatepost_slot(place text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE $1 WHEN 'operators' THEN 320 WHEN 'common' THEN 321 ELSE hashtext($1) & 63 END
$$;
GRANT EXECUTE ON FUNCTION :schema.gatepost_slot(text) TO PUBLIC;
-- A realm without a row has version 0.
CREATE SEQUENCE :schema.gatepost_version AS bigint;
CREATE TABLE :schema.gatepost_place (
    place   text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL,
    changes bigint NOT NULL
) WITH (fillfactor = 70);

-- The changes of each version; `previous` is the version before it, `change` counts versions of the
-- realm.
CREATE TABLE :schema.gatepost_change (
    place    text COLLATE "C" NOT NULL,
    version  bigint NOT NULL,
    kind     smallint NOT NULL,
    record   bigint NOT NULL,
    owner    uuid,
    previous bigint NOT NULL,
    change   bigint NOT NULL,
    PRIMARY KEY (place, version, kind, record)
);
COMMENT ON COLUMN :schema.gatepost_change.kind IS
    '0 webhook, 1 task, 2 event, 3 all records of `owner`, who came, 4 nothing but that an owner left, 5 more than can be told, '
    '6 task with its events';

-- Work that only one process does at a time.
CREATE TABLE :schema.gatepost_lease (
    name   text COLLATE "C" PRIMARY KEY,
    holder text NOT NULL,
    until  timestamptz NOT NULL
);

-- Users who opened the console by a link, and the links: by the digest of the secret.
CREATE TABLE :schema.gatepost_session (
    digest bytea PRIMARY KEY,
    owner  uuid NOT NULL,
    name   text NOT NULL,
    opened timestamptz NOT NULL,
    until  timestamptz NOT NULL
);
CREATE INDEX gatepost_session_of_owner ON :schema.gatepost_session (owner, opened);
CREATE INDEX gatepost_session_by_end ON :schema.gatepost_session (until);

-- Records --------------------------------------------------------------------------------------
-- `gone`: deleted, but its deliveries must still be removed.
-- `ordered_after`: claims up to this token may hold its deliveries together with those of others,
-- although it delivers in order; until they have ended nothing of it is claimed. Negative while the
-- edit waits for claims.
-- `channels`: the channels that it receives, joined by commas; '' names none, and it receives all.
-- `retry_schedule`: delays in seconds, joined by commas; '' is the platform's.
-- `client_identity`: a certificate with its private key, sealed.
CREATE TABLE :schema.gatepost_webhook (
    id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    revision           bigint NOT NULL,
    created            timestamptz NOT NULL,
    modified           timestamptz NOT NULL,
    owner              uuid NOT NULL,
    name               text COLLATE "C" NOT NULL,
    url                bytea NOT NULL,
    credentials        bytea NOT NULL,
    headers            bytea NOT NULL,
    allow_insecure     boolean NOT NULL,
    timeout_s          integer NOT NULL,
    retries            integer NOT NULL,
    activity           text NOT NULL,
    in_order           boolean NOT NULL,
    signing            bytea NOT NULL,
    rate               bigint,
    gone               boolean NOT NULL DEFAULT false,
    bytes              bigint NOT NULL,
    ordered_after      bigint NOT NULL DEFAULT 0,
    channels           text NOT NULL DEFAULT '',
    retry_schedule     text,
    client_identity    bytea
);
-- Not a partial index: the planner would consider one on `NOT gone` for every query of existing
-- rows.
CREATE UNIQUE INDEX gatepost_webhook_name ON :schema.gatepost_webhook (owner, name, (CASE WHEN gone THEN id ELSE 0 END));
CREATE INDEX gatepost_webhook_named ON :schema.gatepost_webhook (name, id);
CREATE INDEX gatepost_webhook_owner ON :schema.gatepost_webhook (owner, id);
CREATE INDEX gatepost_webhook_gone ON :schema.gatepost_webhook (id) WHERE gone;
CREATE INDEX gatepost_webhook_idle ON :schema.gatepost_webhook (id) WHERE activity <> 'active';

CREATE TABLE :schema.gatepost_task (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    revision         bigint NOT NULL,
    created          timestamptz NOT NULL,
    modified         timestamptz NOT NULL,
    creator          uuid NOT NULL,
    name             text COLLATE "C" NOT NULL,
    description      text NOT NULL,
    enabled          boolean NOT NULL,
    delete_after_run boolean NOT NULL,
    webhook          bigint NOT NULL CONSTRAINT gatepost_task_webhook REFERENCES :schema.gatepost_webhook,
    message          bytea NOT NULL,
    owner            uuid NOT NULL,
    bytes            bigint NOT NULL
);
CREATE INDEX gatepost_task_of_webhook ON :schema.gatepost_task (webhook, id);
CREATE INDEX gatepost_task_of_creator ON :schema.gatepost_task (creator, id);
CREATE INDEX gatepost_task_owner ON :schema.gatepost_task (owner, id);
CREATE INDEX gatepost_task_named ON :schema.gatepost_task (name, id);

-- `label` is the user's name for it; if it is empty, the platform's own label is used.
CREATE TABLE :schema.gatepost_event (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    revision   bigint NOT NULL,
    created    timestamptz NOT NULL,
    modified   timestamptz NOT NULL,
    event_type text COLLATE "C" NOT NULL,
    event      text COLLATE "C" NOT NULL,
    target     text COLLATE "C" NOT NULL,
    task       bigint NOT NULL CONSTRAINT gatepost_event_task REFERENCES :schema.gatepost_task ON DELETE CASCADE,
    enabled    boolean NOT NULL,
    filters    bytea NOT NULL,
    context    bytea NOT NULL,
    owner      uuid NOT NULL,
    bytes      bigint NOT NULL,
    label      text NOT NULL
);
CREATE INDEX gatepost_event_of_task ON :schema.gatepost_event (task, id);
CREATE INDEX gatepost_event_owner ON :schema.gatepost_event (owner, id);
CREATE INDEX gatepost_event_heard ON :schema.gatepost_event (event_type, event, id);
CREATE INDEX gatepost_event_heard_by ON :schema.gatepost_event (owner, event_type, event);

-- The log --------------------------------------------------------------------------------------
-- Rows are only added, and dropped by partitions; the queue holds only deliveries that wait or run.
-- See docs/internals/postgres-queue.md.
-- The deliveries. Never updated, except for `body`, which is NULL if the message is not kept.
CREATE SEQUENCE :schema.gatepost_delivery_id_seq AS bigint;
CREATE TABLE :schema.gatepost_delivery (
    id         bigint NOT NULL,
    webhook    bigint NOT NULL,
    owner      uuid NOT NULL,
    tenant     uuid,
    task       bigint,
    created    timestamptz NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    body       bytea,
    cause      text,
    moves      integer NOT NULL DEFAULT 0,
    CONSTRAINT gatepost_delivery_pkey PRIMARY KEY (id)
) PARTITION BY RANGE (id);
COMMENT ON COLUMN :schema.gatepost_delivery.cause IS
    'type, event, object, user and occurrence id, then a trace after a blank and data after a line feed; NULL for a message sent by hand';
-- Each is partial, so that the planner considers it only for queries by its first column: for a
-- partition that was empty when a statement was planned all indexes have the same cost, and one
-- that begins with another column would be walked for an id when the partition is full.
CREATE INDEX gatepost_delivery_of_webhook ON :schema.gatepost_delivery (webhook, id) WHERE webhook IS NOT NULL;
CREATE INDEX gatepost_delivery_owner ON :schema.gatepost_delivery (owner, id) WHERE owner IS NOT NULL;
CREATE INDEX gatepost_delivery_tenant ON :schema.gatepost_delivery (tenant, id) WHERE tenant IS NOT NULL;
CREATE INDEX gatepost_delivery_task ON :schema.gatepost_delivery (task, id) WHERE task IS NOT NULL;

-- The result of each claim of a delivery: a row for each token that was used on it, never updated.
-- The last one has the state of the delivery, unless it waits or runs.
-- `state`: 0 waits again, 1 given back or replayed (without an attempt), 2 sent, 3 error.
-- `attempts` (in total), `tries` (since it was enqueued or replayed), `lost` and `class` are the
-- delivery's after it; if `started` is set an attempt was made, with the number `attempts`.
-- `kept_bytes`: the size of its request and response in `detail`, which is sealed if there is a
-- key, and NULL if the receiver fetched the delivery.
-- `webhook`, `owner`, `tenant` and `task` are the delivery's, set only if `state` is 3.
CREATE TABLE :schema.gatepost_outcome (
    delivery      bigint NOT NULL,
    token         bigint NOT NULL,
    webhook       bigint,
    owner         uuid,
    tenant        uuid,
    task          bigint,
    attempts      integer NOT NULL,
    tries         integer NOT NULL,
    state         smallint NOT NULL,
    lost          smallint NOT NULL,
    status        integer,
    started       timestamptz,
    duration_us   bigint,
    class         text NOT NULL,
    status_info   text NOT NULL,
    kept_bytes    bigint NOT NULL DEFAULT 0,
    detail        bytea,
    CONSTRAINT gatepost_outcome_pkey PRIMARY KEY (delivery, token)
) PARTITION BY RANGE (delivery);
CREATE INDEX gatepost_outcome_error ON :schema.gatepost_outcome (delivery) WHERE state = 3;
CREATE INDEX gatepost_outcome_error_webhook ON :schema.gatepost_outcome (webhook, delivery) WHERE state = 3;
CREATE INDEX gatepost_outcome_error_owner ON :schema.gatepost_outcome (owner, delivery) WHERE state = 3;
CREATE INDEX gatepost_outcome_error_tenant ON :schema.gatepost_outcome (tenant, delivery) WHERE state = 3 AND tenant IS NOT NULL;
CREATE INDEX gatepost_outcome_error_task ON :schema.gatepost_outcome (task, delivery) WHERE state = 3 AND task IS NOT NULL;
-- Almost empty: sent deliveries whose last attempt did not end with `ok`.
CREATE INDEX gatepost_outcome_odd ON :schema.gatepost_outcome (delivery) WHERE state = 2 AND class <> 'ok';

-- The ranges of ids of the partitions gatepost_delivery_`first` and gatepost_outcome_`first`, both
-- from `first` until before `beyond`: the current one, and two ahead.
CREATE TABLE :schema.gatepost_part (
    first  bigint PRIMARY KEY,
    beyond bigint NOT NULL
);
INSERT INTO :schema.gatepost_part VALUES (0, 1000000), (1000000, 2000000), (2000000, 3000000);
CREATE TABLE :schema.gatepost_delivery_0 PARTITION OF :schema.gatepost_delivery FOR VALUES FROM (0) TO (1000000);
CREATE TABLE :schema.gatepost_delivery_1000000 PARTITION OF :schema.gatepost_delivery FOR VALUES FROM (1000000) TO (2000000);
CREATE TABLE :schema.gatepost_delivery_2000000 PARTITION OF :schema.gatepost_delivery FOR VALUES FROM (2000000) TO (3000000);
CREATE TABLE :schema.gatepost_outcome_0 PARTITION OF :schema.gatepost_outcome FOR VALUES FROM (0) TO (1000000);
CREATE TABLE :schema.gatepost_outcome_1000000 PARTITION OF :schema.gatepost_outcome FOR VALUES FROM (1000000) TO (2000000);
CREATE TABLE :schema.gatepost_outcome_2000000 PARTITION OF :schema.gatepost_outcome FOR VALUES FROM (2000000) TO (3000000);
CREATE TABLE :schema.gatepost_delivery_default PARTITION OF :schema.gatepost_delivery DEFAULT;
CREATE TABLE :schema.gatepost_outcome_default PARTITION OF :schema.gatepost_outcome DEFAULT;
-- Deliveries that had not ended when their partition was dropped; read if the partitions have no
-- such row.
CREATE TABLE :schema.gatepost_delivery_old (LIKE :schema.gatepost_delivery INCLUDING INDEXES);
CREATE TABLE :schema.gatepost_outcome_old (LIKE :schema.gatepost_outcome INCLUDING INDEXES);
-- The whole log, for reports.
CREATE VIEW :schema.gatepost_delivery_all AS SELECT * FROM :schema.gatepost_delivery UNION ALL SELECT * FROM :schema.gatepost_delivery_old;
CREATE VIEW :schema.gatepost_outcome_all AS SELECT * FROM :schema.gatepost_outcome UNION ALL SELECT * FROM :schema.gatepost_outcome_old;

-- One row: deliveries that were created earlier are not shown after they have ended. `first`: all
-- deliveries before this one were.
CREATE TABLE :schema.gatepost_kept (
    created_before timestamptz NOT NULL,
    first          bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
INSERT INTO :schema.gatepost_kept (created_before) VALUES ('-infinity');

-- The results of a webhook's deliveries in each hour.
CREATE TABLE :schema.gatepost_count (
    webhook      bigint NOT NULL,
    hour         timestamptz NOT NULL,
    sent         bigint NOT NULL,
    failed       bigint NOT NULL,
    retried      bigint NOT NULL,
    milliseconds bigint NOT NULL,
    bytes        bigint NOT NULL,
    last_sent    timestamptz,
    PRIMARY KEY (webhook, hour)
) WITH (fillfactor = 70);
CREATE INDEX gatepost_count_hour ON :schema.gatepost_count (hour, webhook);

-- Deliveries that were rejected, and counted instead of stored.
CREATE TABLE :schema.gatepost_rejected (
    webhook bigint NOT NULL,
    reason  text COLLATE "C" NOT NULL,
    minute  timestamptz NOT NULL,
    count   bigint NOT NULL,
    PRIMARY KEY (webhook, reason, minute)
);
CREATE INDEX gatepost_rejected_minute ON :schema.gatepost_rejected (minute);

-- The queue ------------------------------------------------------------------------------------
-- The tokens of claims, from one sequence: a token is valid only for its deliveries.
CREATE SEQUENCE :schema.gatepost_claim AS bigint;

-- Waiting deliveries. No row is ever updated; it is deleted when its delivery is claimed or ends.
-- `class`: 0 first, 1 retry, 2 lost, 3 quarantined. `marked`: the delivery has outcomes.
CREATE TABLE :schema.gatepost_queue (
    id       bigint NOT NULL CONSTRAINT gatepost_queue_pkey PRIMARY KEY,
    webhook  bigint NOT NULL,
    due      timestamptz NOT NULL,
    tries    integer NOT NULL,
    attempts integer NOT NULL,
    class    smallint NOT NULL,
    lost     smallint NOT NULL,
    marked   boolean NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX gatepost_queue_class ON :schema.gatepost_queue (webhook, class, due, id) WHERE webhook IS NOT NULL;
-- A query for due deliveries in any queue adds the condition that the class is not below 0; no
-- claim does.
CREATE INDEX gatepost_queue_due ON :schema.gatepost_queue (due, id) INCLUDE (webhook, class) WHERE class >= 0;
CREATE INDEX gatepost_queue_of_webhook ON :schema.gatepost_queue (webhook, id) WHERE webhook IS NOT NULL;

-- Running deliveries: one row for those that were enqueued with a lease or claimed together. `id`
-- is the token (from gatepost_claim).
-- `open` counts the `ids` that have not been settled under it (settled ones have an outcome with
-- this token); the row is deleted when none is left, or when the lease has ended.
-- The other lists have the order of `ids`; NULL if all are at their first attempt. A delivery that
-- is deleted while it runs becomes NULL in `ids`.
-- `webhook`: set for a webhook in order, whose delivery has a separate row.
CREATE TABLE :schema.gatepost_running (
    id          bigint NOT NULL CONSTRAINT gatepost_running_pkey PRIMARY KEY,
    lease_until timestamptz NOT NULL,
    webhook     bigint,
    open        integer NOT NULL,
    ids         bigint[] NOT NULL,
    tries       integer[],
    attempts    integer[],
    class       smallint[],
    lost        smallint[]
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
CREATE INDEX gatepost_running_ends ON :schema.gatepost_running (lease_until, id);
CREATE UNIQUE INDEX gatepost_running_in_order ON :schema.gatepost_running (webhook) WHERE webhook IS NOT NULL;

-- One row after the first count: the statistics of the queue.
CREATE TABLE :schema.gatepost_figure (
    one        boolean NOT NULL DEFAULT true PRIMARY KEY CHECK (one),
    counted    timestamptz NOT NULL,
    queued     bigint NOT NULL,
    running    bigint NOT NULL,
    outbox     bigint NOT NULL,
    oldest_due timestamptz
) WITH (fillfactor = 50);

-- The outbox: platforms insert here in their own transactions (README, "The outbox") -----------
-- Ids of occurrences that were fanned out already, unique within the realm of their occurrence.
CREATE TABLE :schema.gatepost_seen (
    id     text COLLATE "C" NOT NULL,
    stored timestamptz NOT NULL,
    place  text COLLATE "C" NOT NULL,
    PRIMARY KEY (place, id)
);
CREATE INDEX gatepost_seen_stored ON :schema.gatepost_seen (stored);

-- The number of an id as the platform may write it: `7`, `007`, or a UUID with hyphens in either
-- case. 0 if there is none, and if it cannot be read: such a row is set aside when its turn comes.
-- It never raises an error, because it runs when the platform inserts a row.
CREATE FUNCTION :schema.gatepost_id(text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN $1 IS NULL THEN '00000000-0000-0000-0000-000000000000'::pg_catalog.uuid
        -- As texts of 19 digits, numbers below 2^63 are in numeric order.
        WHEN $1 COLLATE pg_catalog."C" OPERATOR(pg_catalog.~) '^0*[0-9]{1,19}$'
            AND pg_catalog.right('000000000000000000' OPERATOR(pg_catalog.||) $1, 19) COLLATE pg_catalog."C"
                OPERATOR(pg_catalog.<=) '9223372036854775807'
            THEN pg_catalog.lpad(pg_catalog.to_hex($1::pg_catalog.int8), 32, '0')::pg_catalog.uuid
        WHEN $1 COLLATE pg_catalog."C" OPERATOR(pg_catalog.~) '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
            THEN $1::pg_catalog.uuid
        ELSE '00000000-0000-0000-0000-000000000000'::pg_catalog.uuid END
$$;
-- Every role that may insert rows must be able to evaluate the index expressions.
GRANT EXECUTE ON FUNCTION :schema.gatepost_id(text) TO PUBLIC;

-- `tenant`, `owner`, `run_by`: an integer or a UUID as text, or NULL. `tenant`, `owner` and
-- `operators` are the audience.
-- `after_task`, `tasks`, `due`: the remaining tasks, and when they are due. `turn` must be named by
-- a process that uses the row.
-- `arrived` is the transaction that wrote the row, or made it wait again: so rows are listed once,
-- in whatever order they commit.
-- `data`: a JSON object of at most 64 KiB, stored as its text. `webhooks`: an array of 1 to 100
-- integers, NULL for all.
-- `trace`: a `traceparent`, and after a blank a `tracestate`. `run_by`: the user who ran a task or
-- triggered an event manually.
CREATE TABLE :schema.gatepost_occurrence (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_type    text NOT NULL,
    event         text NOT NULL,
    object_id     text,
    object_name   text,
    tags          jsonb NOT NULL DEFAULT '[]',
    variables     jsonb NOT NULL DEFAULT '{}',
    occurrence_id text,
    created       timestamptz NOT NULL DEFAULT now(),
    rejected      text,
    tenant        text,
    owner         text,
    operators     boolean NOT NULL DEFAULT false,
    after_task    bigint NOT NULL DEFAULT 0,
    tasks         jsonb,
    due           timestamptz NOT NULL DEFAULT now(),
    turn          bigint NOT NULL DEFAULT 0,
    arrived       xid8 NOT NULL DEFAULT pg_current_xact_id(),
    data          json,
    webhooks      jsonb,
    channel       text,
    trace         text,
    run_by        text
);
-- By audience: 0 and 0 for rows that name none, rows for the operators, and rows with an invalid
-- id.
CREATE INDEX gatepost_occurrence_turns ON :schema.gatepost_occurrence (:schema.gatepost_id(tenant), :schema.gatepost_id(owner), due, id) WHERE rejected IS NULL;
CREATE INDEX gatepost_occurrence_open ON :schema.gatepost_occurrence (:schema.gatepost_id(tenant), :schema.gatepost_id(owner), id) WHERE rejected IS NULL;
CREATE INDEX gatepost_occurrence_arrived ON :schema.gatepost_occurrence
    (arrived, (:schema.gatepost_id(tenant)), (:schema.gatepost_id(owner)), due) WHERE rejected IS NULL;
-- A manual correction of a row need not set `arrived`.
CREATE FUNCTION :schema.gatepost_occurrence_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.arrived := pg_current_xact_id();
    RETURN NEW;
END $$;
CREATE TRIGGER gatepost_occurrence_again BEFORE UPDATE OF due, rejected, tenant, owner ON :schema.gatepost_occurrence
    FOR EACH ROW WHEN (NEW.rejected IS NULL AND NEW.arrived = OLD.arrived) EXECUTE FUNCTION :schema.gatepost_occurrence_again();

-- The transaction up to which rows were read, except for transactions that had not ended, or that
-- had more audiences than one query lists: for each of these the last audience that was read, or
-- NULL if there was none.
CREATE TABLE :schema.gatepost_outbox_look (
    done    xid8 NOT NULL,
    open    xid8[] NOT NULL,
    tenants uuid[] NOT NULL,
    owners  uuid[] NOT NULL,
    server  text COLLATE "C" NOT NULL
) WITH (fillfactor = 50);
INSERT INTO :schema.gatepost_outbox_look (done, open, tenants, owners, server) VALUES ('0', '{}', '{}', '{}', '');

-- The audiences that have or had rows. `ready`: it has due rows and no holder; ready ones are in
-- order of `taken`, a counter. The others are checked again at `due`, when their first row is due
-- or their holder's time ends.
CREATE SEQUENCE :schema.gatepost_outbox_taken AS bigint;
CREATE TABLE :schema.gatepost_outbox_turn (
    tenant uuid NOT NULL,
    owner  uuid NOT NULL,
    ready  boolean NOT NULL DEFAULT false,
    due    timestamptz NOT NULL,
    taken  bigint NOT NULL DEFAULT 0,
    holder text COLLATE "C",
    PRIMARY KEY (tenant, owner)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
CREATE INDEX gatepost_outbox_turn_ready ON :schema.gatepost_outbox_turn (taken, tenant, owner) WHERE ready;
CREATE INDEX gatepost_outbox_turn_later ON :schema.gatepost_outbox_turn (due) WHERE NOT ready;
CREATE INDEX gatepost_outbox_turn_held ON :schema.gatepost_outbox_turn (holder, taken) WHERE holder IS NOT NULL;

-- The audit log. It references no record: entries outlive their records.
CREATE TABLE :schema.gatepost_audit (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at           timestamptz NOT NULL,
    owner        uuid NOT NULL,
    tenant       uuid,
    actor        uuid NOT NULL,
    key          bigint,
    address      text,
    record_table text COLLATE "C" NOT NULL,
    record       text COLLATE "C" NOT NULL,
    name         text NOT NULL,
    operation    text NOT NULL,
    changes      text NOT NULL
);
CREATE INDEX gatepost_audit_of_owner ON :schema.gatepost_audit (owner, id);
CREATE INDEX gatepost_audit_of_tenant ON :schema.gatepost_audit (tenant, id) WHERE tenant IS NOT NULL;
CREATE INDEX gatepost_audit_of_record ON :schema.gatepost_audit (record, record_table, id);
CREATE INDEX gatepost_audit_of_actor ON :schema.gatepost_audit (actor, id);
CREATE INDEX gatepost_audit_at ON :schema.gatepost_audit (at, id);

-- The number of entries about each owner's records. Its row lock puts insertions in one order.
CREATE TABLE :schema.gatepost_audit_owner (
    owner uuid PRIMARY KEY,
    kept  bigint NOT NULL
) WITH (fillfactor = 70);
