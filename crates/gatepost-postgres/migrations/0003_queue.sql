-- Queue and log are two things: the log is only added to and leaves by partitions, the queue holds only what waits or
-- runs. See ARCHITECTURE.md, "Queue and log".

ALTER TABLE :schema.gatepost_delivery RENAME TO gatepost_delivery_before;
ALTER TABLE :schema.gatepost_delivery_before DROP CONSTRAINT gatepost_delivery_message;
DROP INDEX :schema.gatepost_delivery_created, :schema.gatepost_delivery_waiting, :schema.gatepost_delivery_leased, :schema.gatepost_delivery_open, :schema.gatepost_delivery_failed;
ALTER INDEX :schema.gatepost_delivery_pkey RENAME TO gatepost_delivery_before_pkey;
DROP INDEX :schema.gatepost_delivery_of_webhook, :schema.gatepost_delivery_owner;
ALTER INDEX :schema.gatepost_delivery_tenant RENAME TO gatepost_delivery_before_tenant;
ALTER INDEX :schema.gatepost_delivery_task RENAME TO gatepost_delivery_before_task;

-- The log --------------------------------------------------------------------------------------
-- What was to be sent. Never updated, but for `body`, which is NULL once the message is not kept.
CREATE TABLE :schema.gatepost_delivery (
    id         bigint NOT NULL,
    webhook    bigint NOT NULL,
    owner      bigint NOT NULL,
    tenant     bigint,
    task       bigint,
    created    timestamptz NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    body       bytea,
    CONSTRAINT gatepost_delivery_pkey PRIMARY KEY (id)
) PARTITION BY RANGE (id);
-- Each is offered to those alone who ask by its first column: for a partition that was empty when a statement was planned
-- all indexes are as good, and one that begins with another column would be walked for an id once it is full.
CREATE INDEX gatepost_delivery_of_webhook ON :schema.gatepost_delivery (webhook, id) WHERE webhook IS NOT NULL;
CREATE INDEX gatepost_delivery_owner ON :schema.gatepost_delivery (owner, id) WHERE owner IS NOT NULL;
CREATE INDEX gatepost_delivery_tenant ON :schema.gatepost_delivery (tenant, id) WHERE tenant IS NOT NULL;
CREATE INDEX gatepost_delivery_task ON :schema.gatepost_delivery (task, id) WHERE task IS NOT NULL;

-- What each claim of a delivery came to: a row for each token that was used on it, never updated. The last one says how
-- the delivery stands, unless it waits or runs. `state`: 0 waits again, 1 given back or replayed (nothing was tried), 2 sent, 3 error.
-- `attempts` (ever made), `tries` (since it was enqueued or replayed), `lost` and `class` are the delivery's after it; an
-- attempt was made where `started` is there, and has the number `attempts`.
-- `webhook`, `owner`, `tenant` and `task` are the delivery's, where `state` is 3 only.
CREATE TABLE :schema.gatepost_outcome (
    delivery      bigint NOT NULL,
    token         bigint NOT NULL,
    webhook       bigint,
    owner         bigint,
    tenant        bigint,
    task          bigint,
    attempts      integer NOT NULL,
    tries         integer NOT NULL,
    state         smallint NOT NULL,
    lost          smallint NOT NULL,
    status        integer,
    started       timestamptz,
    duration_us   bigint,
    dns_us        bigint,
    connect_us    bigint,
    tls_us        bigint,
    first_byte_us bigint,
    truncated     boolean,
    kept          boolean,
    class         text NOT NULL,
    status_info   text NOT NULL,
    info          text,
    remote        text,
    protocol      text,
    response_head bytea,
    response_body bytea,
    CONSTRAINT gatepost_outcome_pkey PRIMARY KEY (delivery, token)
) PARTITION BY RANGE (delivery);
CREATE INDEX gatepost_outcome_error ON :schema.gatepost_outcome (delivery) WHERE state = 3;
CREATE INDEX gatepost_outcome_error_webhook ON :schema.gatepost_outcome (webhook, delivery) WHERE state = 3;
CREATE INDEX gatepost_outcome_error_owner ON :schema.gatepost_outcome (owner, delivery) WHERE state = 3;
CREATE INDEX gatepost_outcome_error_tenant ON :schema.gatepost_outcome (tenant, delivery) WHERE state = 3 AND tenant IS NOT NULL;
CREATE INDEX gatepost_outcome_error_task ON :schema.gatepost_outcome (task, delivery) WHERE state = 3 AND task IS NOT NULL;

-- All but empty: what was sent though its last attempt did not end with `ok`.
CREATE INDEX gatepost_outcome_odd ON :schema.gatepost_outcome (delivery) WHERE state = 2 AND class <> 'ok';

-- The ranges of ids for which there are partitions: gatepost_delivery_`first` and gatepost_outcome_`first`, both from `first`
-- until before `beyond`.
CREATE TABLE :schema.gatepost_part (
    first  bigint PRIMARY KEY,
    beyond bigint NOT NULL
);
CREATE TABLE :schema.gatepost_delivery_default PARTITION OF :schema.gatepost_delivery DEFAULT;
CREATE TABLE :schema.gatepost_outcome_default PARTITION OF :schema.gatepost_outcome DEFAULT;
-- What had not ended when its partition left; asked where the partitions have no such row.
CREATE TABLE :schema.gatepost_delivery_old (LIKE :schema.gatepost_delivery INCLUDING INDEXES);
CREATE TABLE :schema.gatepost_outcome_old (LIKE :schema.gatepost_outcome INCLUDING INDEXES);
-- The whole log, for those who read it.
CREATE VIEW :schema.gatepost_delivery_all AS SELECT * FROM :schema.gatepost_delivery UNION ALL SELECT * FROM :schema.gatepost_delivery_old;
CREATE VIEW :schema.gatepost_outcome_all AS SELECT * FROM :schema.gatepost_outcome UNION ALL SELECT * FROM :schema.gatepost_outcome_old;

-- One row: what was created before is not shown, once it has ended. For the floors: deliveries up to `delivery` were looked at, and of
-- the crowded webhooks those up to `webhook`, when `newest` of each were to be shown.
CREATE TABLE :schema.gatepost_kept (
    created_before timestamptz NOT NULL,
    webhook        bigint NOT NULL DEFAULT 0,
    delivery       bigint NOT NULL DEFAULT 0,
    newest         bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
INSERT INTO :schema.gatepost_kept (created_before) VALUES ('-infinity');
-- Ended deliveries up to `floor` are not shown. `crowded`: there may be more to hide, though nothing came since. `ordered_after`:
-- claims up to this token may hold deliveries of it beside those of others, though it is in order.
ALTER TABLE :schema.gatepost_webhook
    ADD COLUMN floor bigint NOT NULL DEFAULT 0,
    ADD COLUMN crowded boolean NOT NULL DEFAULT false,
    ADD COLUMN ordered_after bigint NOT NULL DEFAULT 0;
CREATE INDEX gatepost_webhook_crowded ON :schema.gatepost_webhook (id) WHERE crowded;

-- What became of a webhook's deliveries in each hour.
CREATE TABLE :schema.gatepost_count (
    webhook      bigint NOT NULL,
    hour         timestamptz NOT NULL,
    sent         bigint NOT NULL,
    failed       bigint NOT NULL,
    retried      bigint NOT NULL,
    milliseconds bigint NOT NULL,
    bytes        bigint NOT NULL,
    PRIMARY KEY (webhook, hour)
) WITH (fillfactor = 70);
CREATE INDEX gatepost_count_hour ON :schema.gatepost_count (hour, webhook);

-- The queue ------------------------------------------------------------------------------------
-- What waits. No row is ever updated; it is gone when its delivery is claimed or ends. `class`: 0 first, 1 retry, 2 alone.
-- `marked`: the delivery has outcomes.
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
CREATE INDEX gatepost_queue_lane ON :schema.gatepost_queue (webhook, class, due, id) WHERE webhook IS NOT NULL;
-- Whoever looks for what is due, in whatever lane, says that its class is not below 0; no claim does.
CREATE INDEX gatepost_queue_due ON :schema.gatepost_queue (due, id) INCLUDE (webhook, class) WHERE class >= 0;
CREATE INDEX gatepost_queue_of_webhook ON :schema.gatepost_queue (webhook, id) WHERE webhook IS NOT NULL;

-- What runs: a row for what was stored or claimed together. `id` is the token (from gatepost_claim); `open` counts those of
-- `ids` that have not been settled under it (those have an outcome with this token); gone when none is left, or when the lease has ended.
-- The other lists go along with `ids`; NULL where all of it is at its first attempt. What is deleted while it runs
-- becomes NULL in `ids`. `webhook`: of a webhook in order, whose delivery has a row of its own.
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

-- One row, once counted: the queue in figures.
CREATE TABLE :schema.gatepost_figure (
    one        boolean NOT NULL DEFAULT true PRIMARY KEY CHECK (one),
    counted    timestamptz NOT NULL,
    queued     bigint NOT NULL,
    running    bigint NOT NULL,
    outbox     bigint NOT NULL,
    oldest_due timestamptz
) WITH (fillfactor = 50);

-- The outbox by turns --------------------------------------------------------------------------
-- `arrived` is the transaction that wrote the row, or made it wait again: so rows are listed once, whenever they commit.
ALTER TABLE :schema.gatepost_occurrence ADD COLUMN arrived xid8 NOT NULL DEFAULT pg_current_xact_id();
DROP INDEX :schema.gatepost_occurrence_waiting;
CREATE INDEX gatepost_occurrence_arrived ON :schema.gatepost_occurrence
    (arrived, (coalesce(tenant, 0)), (coalesce(owner, 0)), due) WHERE rejected IS NULL;
-- Whoever corrects a row by hand need not know of `arrived`.
CREATE FUNCTION :schema.gatepost_occurrence_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.arrived := pg_current_xact_id();
    RETURN NEW;
END $$;
CREATE TRIGGER gatepost_occurrence_again BEFORE UPDATE OF due, rejected, tenant, owner ON :schema.gatepost_occurrence
    FOR EACH ROW WHEN (NEW.rejected IS NULL AND NEW.arrived = OLD.arrived) EXECUTE FUNCTION :schema.gatepost_occurrence_again();

-- Up to which transaction rows were looked at, but for those that had not ended, or that had more audiences than one look lists:
-- of each the last audience that was looked at.
CREATE TABLE :schema.gatepost_outbox_look (
    done    xid8 NOT NULL,
    open    xid8[] NOT NULL,
    tenants bigint[] NOT NULL,
    owners  bigint[] NOT NULL,
    server  text COLLATE "C" NOT NULL
) WITH (fillfactor = 50);
INSERT INTO :schema.gatepost_outbox_look (done, open, tenants, owners, server) VALUES ('0', '{}', '{}', '{}', '');

-- The audiences that have or had rows: `ready` are those that have something due and that nobody holds, in order of `taken`, which
-- counts. The others are looked at again when `due` comes: that of their first row, or the end of a hold.
CREATE SEQUENCE :schema.gatepost_outbox_taken AS bigint;
CREATE TABLE :schema.gatepost_outbox_turn (
    tenant bigint NOT NULL,
    owner  bigint NOT NULL,
    ready  boolean NOT NULL DEFAULT false,
    due    timestamptz NOT NULL,
    taken  bigint NOT NULL DEFAULT 0,
    holder text COLLATE "C",
    PRIMARY KEY (tenant, owner)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
CREATE INDEX gatepost_outbox_turn_ready ON :schema.gatepost_outbox_turn (taken, tenant, owner) WHERE ready;
CREATE INDEX gatepost_outbox_turn_later ON :schema.gatepost_outbox_turn (due) WHERE NOT ready;
CREATE INDEX gatepost_outbox_turn_held ON :schema.gatepost_outbox_turn (holder, taken) WHERE holder IS NOT NULL;

-- What stands --------------------------------------------------------------------------------------
-- Tokens of what was tried before are the numbers of the attempts, below any token that is still to be given.
SELECT setval(':schema.gatepost_claim', greatest((SELECT last_value FROM :schema.gatepost_claim),
    (SELECT coalesce(max(greatest(claims, logged + 1)), 0) FROM :schema.gatepost_delivery_before) + 1));
UPDATE :schema.gatepost_webhook SET ordered_after = (SELECT last_value FROM :schema.gatepost_claim) + (SELECT count(*) FROM :schema.gatepost_delivery_before WHERE state = 'running') + 1
WHERE in_order;
INSERT INTO :schema.gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
SELECT id, webhook, due, attempts, logged, class, least(lost_claims, 100), logged > 0 OR status_info <> '' FROM :schema.gatepost_delivery_before WHERE state = 'queued' ORDER BY id;
INSERT INTO :schema.gatepost_running (id, lease_until, webhook, open, ids, tries, attempts, class, lost)
SELECT nextval(':schema.gatepost_claim'), r.lease_until, CASE WHEN r.in_order AND r.nth = 1 THEN r.webhook END, 1,
       ARRAY[r.id], ARRAY[r.attempts]::int[], ARRAY[r.logged]::int[], ARRAY[r.class], ARRAY[least(r.lost_claims, 100)]::smallint[]
FROM (
    SELECT d.*, w.in_order, row_number() OVER (PARTITION BY d.webhook ORDER BY d.id) AS nth
    FROM :schema.gatepost_delivery_before d JOIN :schema.gatepost_webhook w ON w.id = d.webhook WHERE d.state = 'running' ORDER BY d.id
) r;

-- The partitions: one for what stands, if there is anything, the one that is used now, and two ahead.
CREATE FUNCTION pg_temp.gatepost_add_part(first bigint, beyond bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE :schema.gatepost_delivery_%s PARTITION OF :schema.gatepost_delivery FOR VALUES FROM (%s) TO (%s)', first, first, beyond);
    EXECUTE format('CREATE TABLE :schema.gatepost_outcome_%s PARTITION OF :schema.gatepost_outcome FOR VALUES FROM (%s) TO (%s)', first, first, beyond);
    INSERT INTO :schema.gatepost_part (first, beyond) VALUES (first, beyond);
END $$;
DO $$
DECLARE
    next bigint := (SELECT last_value + is_called::int FROM :schema.gatepost_delivery_id_seq);
    step CONSTANT bigint := 1000000;
BEGIN
    ALTER TABLE :schema.gatepost_delivery_before ALTER COLUMN id DROP IDENTITY;
    EXECUTE format('CREATE SEQUENCE :schema.gatepost_delivery_id_seq AS bigint START WITH %s', next);
    IF NOT EXISTS (SELECT FROM :schema.gatepost_delivery_before) THEN
        next := next - next % step;
    ELSE
        EXECUTE format('CREATE TABLE :schema.gatepost_outcome_0 PARTITION OF :schema.gatepost_outcome FOR VALUES FROM (0) TO (%s)', next);
        INSERT INTO :schema.gatepost_part (first, beyond) VALUES (0, next);
    END IF;
    PERFORM pg_temp.gatepost_add_part(next + step * i, next + step * (i + 1)) FROM generate_series(0, 2) AS i;
END $$;

-- How each attempt ended: the last one as the delivery did, if that says what the attempt said.
INSERT INTO :schema.gatepost_outcome (delivery, token, webhook, owner, tenant, task, attempts, tries, state, lost, status, started, duration_us,
    dns_us, connect_us, tls_us, first_byte_us, truncated, kept, class, status_info, info, remote, protocol, response_head, response_body)
SELECT a.delivery, a.number,
    CASE WHEN e.state = 3 THEN d.webhook END, CASE WHEN e.state = 3 THEN d.owner END,
    CASE WHEN e.state = 3 THEN d.tenant END, CASE WHEN e.state = 3 THEN d.task END,
    a.number, CASE WHEN a.number > d.logged - d.attempts THEN a.number - (d.logged - d.attempts) ELSE a.number END,
    e.state, CASE WHEN a.number = d.logged THEN least(d.lost_claims, 100) ELSE 0 END,
    a.status, a.started, a.duration_us, a.dns_us, a.connect_us, a.tls_us, a.first_byte_us, a.truncated, a.kept,
    a.class, CASE WHEN e.state >= 2 THEN d.status_info ELSE a.info END, a.info, a.remote, a.protocol, a.response_head, a.response_body
FROM :schema.gatepost_attempt a JOIN :schema.gatepost_delivery_before d ON d.id = a.delivery
CROSS JOIN LATERAL (SELECT CASE
    WHEN a.number < d.logged THEN 0 WHEN d.state = 'sent' THEN 2 WHEN d.state = 'error' AND a.info = d.status_info THEN 3 ELSE 0 END AS state) e
ORDER BY a.delivery, a.number;
-- What ended without an attempt, or was replayed since.
INSERT INTO :schema.gatepost_outcome (delivery, token, webhook, owner, tenant, task, attempts, tries, state, lost, class, status_info)
SELECT d.id, d.logged + 1,
    CASE WHEN d.state = 'error' THEN d.webhook END, CASE WHEN d.state = 'error' THEN d.owner END,
    CASE WHEN d.state = 'error' THEN d.tenant END, CASE WHEN d.state = 'error' THEN d.task END,
    d.logged, d.attempts, CASE d.state WHEN 'sent' THEN 2 WHEN 'error' THEN 3 ELSE 1 END, least(d.lost_claims, 100),
    coalesce(a.class, ''), d.status_info
FROM :schema.gatepost_delivery_before d LEFT JOIN :schema.gatepost_attempt a ON a.delivery = d.id AND a.number = d.logged
WHERE CASE d.state WHEN 'sent' THEN a.number IS NULL WHEN 'error' THEN a.info IS DISTINCT FROM d.status_info
      ELSE coalesce(a.info, '') <> d.status_info END
ORDER BY d.id;
DROP TABLE :schema.gatepost_attempt;

ALTER TABLE :schema.gatepost_delivery_before ALTER COLUMN body DROP NOT NULL;
UPDATE :schema.gatepost_delivery_before SET body = NULL WHERE NOT message_kept;
ALTER TABLE :schema.gatepost_delivery_before
    DROP COLUMN state, DROP COLUMN class, DROP COLUMN status_info, DROP COLUMN due, DROP COLUMN lease_until, DROP COLUMN last_attempt,
    DROP COLUMN attempts, DROP COLUMN lost_claims, DROP COLUMN claims, DROP COLUMN settled, DROP COLUMN logged,
    DROP COLUMN response_status, DROP COLUMN duration_us, DROP COLUMN message_kept;
ALTER TABLE :schema.gatepost_delivery_before RESET (autovacuum_vacuum_scale_factor, autovacuum_analyze_scale_factor, fillfactor);
DO $$
BEGIN
    IF EXISTS (SELECT FROM :schema.gatepost_delivery_before) THEN
        ALTER TABLE :schema.gatepost_delivery_before RENAME TO gatepost_delivery_0;
        EXECUTE format('ALTER TABLE :schema.gatepost_delivery ATTACH PARTITION :schema.gatepost_delivery_0 FOR VALUES FROM (0) TO (%s)',
            (SELECT beyond FROM :schema.gatepost_part WHERE first = 0));
    ELSE
        DROP TABLE :schema.gatepost_delivery_before;
    END IF;
END $$;
DROP FUNCTION pg_temp.gatepost_add_part(bigint, bigint);
